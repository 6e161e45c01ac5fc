/** What the process or the page that measures sends, and a line of JSON for it, which a page can post. */
import type { GpuRecord } from './records.ts'

export type GpuMessage = GpuRecord | { kind: 'error'; message: string }

/** JSON has no Infinity and no NaN, which are differences of a result that is not finite. */
const NOT_FINITE = /^number (NaN|-?Infinity)$/

export function messageLine(message: GpuMessage): string {
  return JSON.stringify(message, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? `number ${value}` : value,
  )
}

export function messageOf(line: string): GpuMessage {
  return JSON.parse(line, (_, value: unknown) => {
    const number = typeof value === 'string' ? NOT_FINITE.exec(value)?.[1] : undefined
    return number === undefined ? value : Number(number)
  }) as GpuMessage
}
