/**
 * A world's file as the script that the sandbox runs: without types, and with the default export as a global. Types become
 * blanks, so that lines in errors are those of the file.
 */
import { tsPlugin } from '@sveltejs/acorn-typescript'
import { Parser, type Comment } from 'acorn'
import { OwnWorldError } from './error.ts'
import { BlankedText, blankTypes, isOnlyTypes, remedyFor, type Tree } from './types.ts'

/** Most characters of a file. */
export const LONGEST_FILE = 200_000
/** Where the script puts the default export. */
export const WORLD_VARIABLE = 'ownWorld'

const ONE_FILE = 'A world is one file: put what it needs into it. Only types may be imported, with `import type`.'

/** Throws OwnWorldError, which names what the sandbox cannot run and its line. */
export function scriptOf(source: string, file: string): string {
  if (source.length > LONGEST_FILE)
    throw new OwnWorldError(
      `${file} has ${source.length.toLocaleString('en')} characters; a world may have at most ${LONGEST_FILE.toLocaleString('en')}.`,
    )
  const { program, comments } = parsed(source, file)
  const text = new BlankedText(source, comments)
  let exported: Tree | null = null
  // A function is visited before what it contains.
  let functionsEnd = 0
  const pending = [program]
  for (let node = pending.pop(); node; node = pending.pop()) {
    const isOnlyType = isOnlyTypes(node)
    if (/Function/.test(node.type)) functionsEnd = Math.max(functionsEnd, node.end)
    if (!isOnlyType) refuseUnable(node, source, file, node.start < functionsEnd)
    if (!isOnlyType && node.type === 'ExportDefaultDeclaration') exported = node
    // `export const` may stay in a file that its tests import: the sandbox needs only the declaration.
    if (!isOnlyType && node.type === 'ExportNamedDeclaration')
      text.blank(node.start, (node['declaration'] as Tree).start)
    for (const part of blankTypes(node, text).reverse()) pending.push(part)
  }
  if (exported === null)
    throw new OwnWorldError(`${file} has no default export. End it with \`export default { name, rules, task, … }\`.`)
  const { start } = exported as Tree
  text.blank(start, text.code.indexOf('default', start) + 'default'.length)
  text.put(start, `globalThis.${WORLD_VARIABLE} =`)
  const script = `'use strict';${text.toString()}`
  // What is left must be JavaScript, so that the sandbox never meets a rest of a type.
  readAs(file, () => Parser.parse(script, { ecmaVersion: 'latest' }))
  return script
}

/** Throws OwnWorldError for a node that the sandbox cannot run. */
function refuseUnable(node: Tree, source: string, file: string, isInFunction: boolean): void {
  const refuse = (what: string, remedy: string) =>
    new OwnWorldError(`${file}, line ${lineAt(source, node.start)}: ${what}. ${remedy}`)
  if (node.type === 'ImportDeclaration')
    throw refuse(`it imports ${source.slice(node.start, node.end).split('\n')[0]!}`, ONE_FILE)
  if (!isInFunction && (node.type === 'AwaitExpression' || node['await'] === true))
    throw refuse('it uses await outside functions', 'Remove it: a world has nothing to wait for.')
  if (node.type === 'ImportExpression') throw refuse('it uses import()', ONE_FILE)
  // The other one is `new.target`.
  if (node.type === 'MetaProperty' && (node['meta'] as Tree)['name'] === 'import')
    throw refuse('it uses import.meta', ONE_FILE)
  if (node.type === 'ExportAllDeclaration') throw refuse('it exports another file', ONE_FILE)
  if (node.type === 'ExportNamedDeclaration' && !node['declaration'])
    throw refuse('it exports a list of names', 'Write `export default { … }` with the parts of the world.')
  const remedy = remedyFor(node)
  if (remedy !== null)
    throw refuse('this part of TypeScript is more than types', `Write it as plain JavaScript: ${remedy}.`)
}

function parsed(source: string, file: string): { program: Tree; comments: Comment[] } {
  const comments: Comment[] = []
  const options = { ecmaVersion: 'latest', sourceType: 'module', onComment: comments } as const
  const program = readAs(file, () => Parser.extend(tsPlugin()).parse(source, options))
  return { program: program as unknown as Tree, comments }
}

/** What `read` returns. Throws OwnWorldError with the line if it throws. */
function readAs<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const at = (cause as { loc?: { line: number } }).loc
    const why = cause instanceof Error ? cause.message.replace(/\.? \(\d+:\d+\)$/, '') : String(cause)
    throw new OwnWorldError(`${file}${at ? `, line ${at.line}` : ''}: it cannot be read: ${why}.`, { cause })
  }
}

function lineAt(source: string, at: number): number {
  return source.slice(0, at).split('\n').length
}
