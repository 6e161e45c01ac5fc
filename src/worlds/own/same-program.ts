/** Compares scripts of worlds by meaning: comments, blanks, types and redundant semicolons are none of it. */
import { parse } from 'acorn'

/** False if a script cannot be parsed. */
export function isSameProgram(one: string, other: string): boolean {
  const meaning = meaningOf(one)
  return meaning !== null && meaning === meaningOf(other)
}

/** The syntax tree as JSON. */
function meaningOf(script: string): string | null {
  try {
    return JSON.stringify(parse(script, { ecmaVersion: 'latest' }), meaningful)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const isEmpty = (node: unknown) => (node as { type?: string } | null)?.type === 'EmptyStatement'

function meaningful(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((node) => !isEmpty(node))
  // JSON has no bigints, and writes an infinite number like null.
  if (key === 'value' && (typeof value === 'bigint' || typeof value === 'number')) return [typeof value, String(value)]
  if ((value as { type?: unknown } | null)?.type === undefined) return value
  const { start: _start, end: _end, ...node } = value as Record<string, unknown>
  // A literal has its value; of a template, `String.raw` can read the characters.
  if (node['type'] === 'Literal') delete node['raw']
  return node
}
