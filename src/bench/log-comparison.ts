/** Compares logs of one run with different arithmetic: words and counts must be equal, other numbers nearly equal. */
import type { LoggedEvent } from '../method/events.ts'

export interface LogDifference {
  /** Share of events that are equal, with numbers within the tolerance. */
  equal: number
  /** The first difference: "model-updated.metrics.grad_norm: 0.31 beside 0.35"; null if there is none. */
  first: string | null
}

/** Counts of work, not of the run: how much of a batch shares a prefix depends on how it is cut. */
const NOT_OF_THE_RUN = new Set(['trainedTokens'])

/** A number may differ by `tolerance` times its size, or times 1 if it is smaller. */
export function compareLogs(
  log: readonly LoggedEvent[],
  expected: readonly LoggedEvent[],
  tolerance: number,
): LogDifference {
  let equal = 0
  let first: string | null = null
  const length = Math.max(log.length, expected.length)
  for (let i = 0; i < length; i++) {
    const difference = firstDifference(log[i], expected[i], expected[i]?.type ?? `event ${i}`, tolerance)
    if (difference === null) equal++
    else first ??= difference
  }
  return { equal: length === 0 ? 1 : equal / length, first }
}

function firstDifference(a: unknown, b: unknown, at: string, tolerance: number): string | null {
  if (typeof a === 'number' && typeof b === 'number') {
    const isNear = Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b))
    return isNear ? null : `${at}: ${a} beside ${b}`
  }
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) {
    const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      if (NOT_OF_THE_RUN.has(key)) continue
      const difference = firstDifference(left[key], right[key], `${at}.${key}`, tolerance)
      if (difference !== null) return difference
    }
    return null
  }
  return a === b ? null : `${at}: ${JSON.stringify(a)} beside ${JSON.stringify(b)}`
}
