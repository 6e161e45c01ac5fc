/** JSON as tests and scratchpads contain it: on one line, with a blank after every comma. */
import type { Json } from '../judge/verdict.ts'

export function formatJson(value: Json): string {
  return Array.isArray(value) ? `[${value.map(formatJson).join(', ')}]` : JSON.stringify(value)
}
