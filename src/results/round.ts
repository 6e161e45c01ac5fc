/** Numbers as a results file keeps them: four digits behind the point. */
import type { Difference } from './paired-difference.ts'

const DIGITS = 1e4

export function round(value: number | null): number | null {
  return value === null ? null : Math.round(value * DIGITS) / DIGITS
}

export function rounded({ mean, low, high, n }: Difference): Difference {
  return { mean: round(mean)!, low: round(low), high: round(high), n }
}
