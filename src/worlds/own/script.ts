/**
 * A world's file as the script that the sandbox runs: without types, and with the default export as a global. Types become
 * blanks, so that lines in errors are those of the file.
 */
import { tsPlugin } from '@sveltejs/acorn-typescript'
import { Parser, type Node } from 'acorn'
import { OwnWorldError } from './error.ts'

/** Most characters of a file. */
export const LONGEST_FILE = 200_000
/** Where the script puts the default export. */
export const WORLD_VARIABLE = 'ownWorld'

const ONE_FILE = 'A world is one file: put what it needs into it. Only types may be imported, with `import type`.'

/** Blanked whole. */
const TYPES = new Set([
  'TSTypeAnnotation',
  'TSTypeParameterDeclaration',
  'TSTypeParameterInstantiation',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
])
/** An expression, then a type. */
const TYPED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])
/** Statements that leave nothing: a semicolon ends what stands before them. */
const IS_STATEMENT = /^TS(Interface|TypeAlias|Declare)|^ImportDeclaration$/

type Tree = Node & Record<string, unknown>

/** Throws OwnWorldError, which names what the sandbox cannot run and its line. */
export function scriptOf(source: string, file: string): string {
  if (source.length > LONGEST_FILE)
    throw new OwnWorldError(
      `${file} has ${source.length.toLocaleString('en')} characters; a world may have at most ${LONGEST_FILE.toLocaleString('en')}.`,
    )
  const program = parsed(source, file)
  const characters = Array.from({ length: source.length }, (_, at) => source[at]!)
  const blank = (start: number, end: number) => {
    for (let at = start; at < end; at++) if (!/\s/.test(characters[at]!)) characters[at] = ' '
  }
  let exported: Tree | null = null
  const visit = (node: Tree): void => {
    const refuse = (what: string, remedy: string) =>
      new OwnWorldError(`${file}, line ${lineAt(source, node.start)}: ${what}. ${remedy}`)
    if (node.type === 'ImportDeclaration' && node['importKind'] !== 'type')
      throw refuse(`it imports ${source.slice(node.start, node.end).split('\n')[0]!}`, ONE_FILE)
    if (node.type === 'ImportExpression' || node.type === 'MetaProperty') throw refuse('it uses import()', ONE_FILE)
    if (/^TS(Enum|Module|ImportEquals|Parameter|Export|Abstract)|^Decorator$/.test(node.type))
      throw refuse(
        'this part of TypeScript is more than types',
        'Write it as plain JavaScript: an object instead of an enum.',
      )
    if (TYPES.has(node.type) || node.type === 'ImportDeclaration') {
      blank(node.start, node.end)
      if (IS_STATEMENT.test(node.type)) characters[node.start] = ';'
      return
    }
    if (node.type === 'ExportNamedDeclaration') {
      const declared = node['declaration'] as Tree | null
      if (declared === null && node['exportKind'] !== 'type')
        throw refuse('it exports a list of names', 'Write `export default { … }` with the parts of the world.')
      // `export const` may stay in a file that its tests import: the sandbox needs only the declaration.
      blank(node.start, declared === null ? node.end : declared.start)
    }
    if (node.type === 'ExportAllDeclaration') throw refuse('it exports another file', ONE_FILE)
    if (node.type === 'ExportDefaultDeclaration') exported = node
    const inner = node['expression'] as Tree | undefined
    if (TYPED.has(node.type)) blank(inner!.end, node.end)
    if (node['optional'] === true && node.type === 'Identifier') blankMark(node, '?')
    if (node['definite'] === true) blankMark(node['id'] as Tree, '!')
    for (const [key, value] of Object.entries(node)) {
      if (key === 'loc') continue
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) if (isNode(child)) visit(child)
    }
  }
  /** The mark after a name: `b?: number`, `q!: number`. */
  const blankMark = (name: Tree, mark: string) => {
    const at = source.indexOf(mark, name.start)
    if (at >= 0 && at < name.end) blank(at, at + 1)
  }
  visit(program)
  if (exported === null)
    throw new OwnWorldError(`${file} has no default export. End it with \`export default { name, rules, task, … }\`.`)
  const { start } = exported as Tree
  const { start: valueStart } = (exported as Tree)['declaration'] as Tree
  characters[start] = `globalThis.${WORLD_VARIABLE} =`
  blank(start + 1, valueStart)
  return `'use strict';${characters.join('')}`
}

function parsed(source: string, file: string): Tree {
  try {
    const options = { ecmaVersion: 'latest', sourceType: 'module' } as const
    return Parser.extend(tsPlugin()).parse(source, options) as unknown as Tree
  } catch (cause) {
    const at = (cause as { loc?: { line: number } }).loc
    const why = cause instanceof Error ? cause.message.replace(/ \(\d+:\d+\)$/, '') : String(cause)
    throw new OwnWorldError(`${file}${at ? `, line ${at.line}` : ''}: it cannot be read: ${why}.`, { cause })
  }
}

function isNode(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

function lineAt(source: string, at: number): number {
  return source.slice(0, at).split('\n').length
}
