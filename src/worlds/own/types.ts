/** The types of TypeScript in a file: what is only types becomes blanks, and what is more than types has a remedy. */
import type { Node } from 'acorn'

export type Tree = Node & Record<string, unknown>

/** A file in which parts become blanks. All other characters keep their line and column. */
export class BlankedText {
  /** The file with blanks for its comments: search it for marks and keywords. */
  readonly code: string
  readonly #characters: string[]
  readonly #marks = new Map<number, string>()

  constructor(
    readonly source: string,
    comments: readonly { start: number; end: number }[],
  ) {
    this.#characters = source.split('')
    const code = source.split('')
    for (const { start, end } of comments) code.fill(' ', start, end)
    this.code = code.join('')
  }

  blank(start: number, end: number): void {
    for (let at = start; at < end; at++) if (!/\s/.test(this.#characters[at]!)) this.#characters[at] = ' '
  }

  /** Puts a mark in the place of a character, whether that becomes a blank or not. */
  put(at: number, mark: string): void {
    this.#marks.set(at, mark)
  }

  /** Puts a mark after a character. The rest of the line moves by one column. */
  putAfter(at: number, mark: string): void {
    this.#marks.set(at, (this.#marks.get(at) ?? this.#characters[at]!) + mark)
  }

  /** Where the next character is that is neither white space nor part of a comment. */
  next(from: number): number {
    let at = from
    while (at < this.code.length && /\s/.test(this.code[at]!)) at++
    return at
  }

  breaksLine(start: number, end: number): boolean {
    return /[\n\r\u2028\u2029]/.test(this.source.slice(start, end))
  }

  toString(): string {
    return this.#characters.map((character, at) => this.#marks.get(at) ?? character).join('')
  }
}

const REMEDIES: Record<string, string> = {
  TSEnumDeclaration: 'an object instead of an enum',
  TSModuleDeclaration: 'an object instead of a namespace',
  TSParameterProperty: 'a field that the constructor assigns',
  Decorator: 'a call instead of a decorator',
  TSImportEqualsDeclaration: 'a constant instead of `import … =`',
  TSExportAssignment: '`export default` instead of `export =`',
  TSNamespaceExportDeclaration: '`export default` instead of `export as namespace`',
}

/** How to write in JavaScript what is more than types, or null if the node can stay or become blanks. */
export function remedyFor(node: Tree): string | null {
  if (node['accessor'] === true) return 'a getter and a setter instead of `accessor`'
  // TypeScript reads `static`, a line break and `readonly x` as one member, our parser as two.
  const key = node['key'] as Tree | undefined
  if (node.type === 'PropertyDefinition' && key?.['name'] === 'static' && node.end === key.end)
    return '`static` on the line of its member'
  return REMEDIES[node.type] ?? null
}

const TYPES = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
  'TSIndexSignature',
  'TSTypeAnnotation',
  'TSTypeParameterDeclaration',
  'TSTypeParameterInstantiation',
])

/** Whether a statement, a member of a class or a part of either is only types. */
export function isOnlyTypes(node: Tree): boolean {
  if (TYPES.has(node.type) || node['declare'] === true) return true
  const declared = node['declaration'] as Tree | null | undefined
  switch (node.type) {
    case 'PropertyDefinition':
    case 'MethodDefinition':
      return node['abstract'] === true || (node['value'] as Tree | null)?.type === 'TSDeclareMethod'
    case 'ImportDeclaration':
    case 'TSImportEqualsDeclaration':
      return node['importKind'] === 'type' || areTypes(node['specifiers'], 'importKind')
    case 'ExportNamedDeclaration':
      if (declared) return isOnlyTypes(declared)
      return node['exportKind'] === 'type' || areTypes(node['specifiers'], 'exportKind')
    case 'ExportAllDeclaration':
      return node['exportKind'] === 'type'
    case 'ExportDefaultDeclaration':
      return isOnlyTypes(declared!)
    case 'TSModuleDeclaration':
      return isOnlyTypes(node['body'] as Tree)
    case 'TSModuleBlock':
      return (node['body'] as Tree[]).every(isOnlyTypes)
    default:
      return false
  }
}

function areTypes(specifiers: unknown, kind: string): boolean {
  const list = (specifiers ?? []) as Tree[]
  return list.length > 0 && list.every((specifier) => specifier[kind] === 'type')
}

/** Blanks the types that a node has itself, and returns its parts that may have more. */
export function blankTypes(node: Tree, text: BlankedText): Tree[] {
  if (isOnlyTypes(node)) {
    text.blank(node.start, node.end)
    // A semicolon ends what stands before a statement or a member.
    if (!/^TSType(?:Annotation|Parameter)/.test(node.type)) text.put(node.start, ';')
    return []
  }
  switch (node.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return [blankTypeAfter(node, text)]
    case 'TSTypeAssertion':
      return [blankTypeBefore(node, text)]
    case 'TSNonNullExpression':
      text.blank(node.end - 1, node.end)
      break
    case 'TSInstantiationExpression':
      endBefore(node.end, (node['typeArguments'] as Tree).start, text)
      break
    case 'ClassDeclaration':
    case 'ClassExpression':
      blankClassWords(node, text)
      break
    case 'PropertyDefinition':
    case 'MethodDefinition':
      blankMemberMarks(node, text)
      break
    case 'VariableDeclarator':
      if (node['definite'] === true) blankMarkAfterName(node['id'] as Tree, '!', text)
      break
    case 'ArrowFunctionExpression':
      keepArrowOnLine(node, text)
      break
  }
  if (Array.isArray(node['params'])) blankParameterMarks(node['params'] as Tree[], text)
  return parts(node).filter((part) => part.type !== 'TSExpressionWithTypeArguments')
}

/** `value as T`, `value satisfies T`. */
function blankTypeAfter(node: Tree, text: BlankedText): Tree {
  const word = node.type === 'TSAsExpression' ? 'as' : 'satisfies'
  const start = text.code.lastIndexOf(word, (node['typeAnnotation'] as Tree).start - 1)
  text.blank(start, node.end)
  endBefore(node.end, start, text)
  return node['expression'] as Tree
}

/** A type ends a statement before `(`, `[` and a template on the next line; JavaScript would read on. */
function endBefore(end: number, blank: number, text: BlankedText): void {
  if (/[([`]/.test(text.code[text.next(end)] ?? '')) text.put(blank, ';')
}

/** `<T>value`. Parentheses take its place where `value` alone would be a block or a declaration, or end a `return`. */
function blankTypeBefore(node: Tree, text: BlankedText): Tree {
  const value = node['expression'] as Tree
  const end = text.code.indexOf('>', (node['typeAnnotation'] as Tree).end) + 1
  text.blank(node.start, end)
  if (
    /^[{<]|^(?:function|class|async|let)\b/.test(text.code.slice(text.next(end))) ||
    text.breaksLine(node.start, value.start)
  ) {
    text.put(node.start, '(')
    text.putAfter(node.end - 1, ')')
  }
  return value
}

/** `abstract class A extends B implements C`. */
function blankClassWords(node: Tree, text: BlankedText): void {
  if (node['abstract'] === true) text.blank(node.start, node.start + 'abstract'.length)
  const interfaces = (node['implements'] ?? []) as Tree[]
  if (interfaces.length > 0)
    text.blank(text.code.lastIndexOf('implements', interfaces[0]!.start - 1), interfaces.at(-1)!.end)
}

/** `private static readonly x?: number`. */
function blankMemberMarks(node: Tree, text: BlankedText): void {
  const key = node['key'] as Tree
  for (const word of text.code
    .slice(node.start, key.start)
    .matchAll(/\b(?:public|private|protected|override|readonly)\b/g)) {
    const at = node.start + word.index
    text.blank(at, at + word[0].length)
    // `a = 1` would go on with `['b'] = 2` or `*b() {}`.
    if (at === node.start) text.put(at, ';')
  }
  let after = text.next(key.end)
  if (node['computed'] === true) after = text.next(text.code.indexOf(']', key.end) + 1)
  const isMarked = node['optional'] === true || node['definite'] === true
  if (isMarked) text.blank(after, after + 1)
  // A field `get`, `set` or `static` would take the next member's name.
  const isBareField = node.type === 'PropertyDefinition' && !node['value']
  if (isBareField && (isMarked || node['typeAnnotation'])) text.put(after, ';')
}

/** `f(this: T, a?: number)`. */
function blankParameterMarks(parameters: readonly Tree[], text: BlankedText): void {
  for (const parameter of parameters) {
    if (parameter.type !== 'Identifier') continue
    if (parameter['optional'] === true) blankMarkAfterName(parameter, '?', text)
    if (parameter['name'] !== 'this') continue
    const comma = text.next(parameter.end)
    text.blank(parameter.start, text.code[comma] === ',' ? comma + 1 : parameter.end)
  }
}

function blankMarkAfterName(name: Tree, mark: string, text: BlankedText): void {
  const at = text.next(name.start + (name['name'] as string).length)
  if (text.code[at] === mark) text.blank(at, at + 1)
}

/** Lines may not end between `async` or `return` and the parameters of an arrow function, and not before `=>`. */
function keepArrowOnLine(node: Tree, text: BlankedText): void {
  const before = node['typeParameters'] as Tree | null | undefined
  const after = node['returnType'] as Tree | null | undefined
  if (before) {
    const bracket = text.code.indexOf('(', before.end)
    if (text.breaksLine(before.start, bracket)) {
      text.blank(bracket, bracket + 1)
      text.put(before.start, '(')
    }
  }
  if (after) {
    const bracket = text.code.lastIndexOf(')', after.start)
    if (text.breaksLine(bracket, after.end)) {
      text.blank(bracket, bracket + 1)
      text.put(after.end - 1, ')')
    }
  }
}

/** The nodes directly below a node. */
function parts(node: Tree): Tree[] {
  return Object.values(node).flat().filter(isNode)
}

function isNode(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}
