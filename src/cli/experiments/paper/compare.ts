/**
 * Differences of two rows, paired by seed: a seed gives both the same first tasks, held-out tasks and random streams.
 *
 *     d_s = row_s − than_s          d̄ ± t(0.975, n − 1) · s_d / √n
 *
 * Intervals are not corrected for multiple comparisons: of twenty without any difference, expect one to miss zero.
 */
import { meanInterval } from '../../../results/student-t.ts'
import type { Verdict } from '../../../results/results-file.ts'

export interface Difference {
  mean: number
  /** Null for a single pair. */
  low: number | null
  high: number | null
  /** Number of pairs. */
  n: number
}

/** Over the seeds in which both have a value; null if there are none. `row[s]` and `than[s]` belong to the same seed. */
export function pairedDifference(row: readonly (number | null)[], than: readonly (number | null)[]): Difference | null {
  return summary(
    row.map((value, s) => {
      const other = than[s] ?? null
      return value === null || other === null ? null : value - other
    }),
  )
}

/** Mean and interval of the values that there are; null without any. */
export function summary(values: readonly (number | null)[]): Difference | null {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return null
  const interval = meanInterval(known)
  return interval === null ? { mean: known[0]!, low: null, high: null, n: 1 } : { ...interval, n: known.length }
}

/**
 * What follows for the claim that the mean difference is at least `least`:
 *
 *     holds             mean ≥ least, and the interval is above 0, or above `least` if that is negative (a tolerance)
 *     does not hold     the interval is at most `least`
 *     not decided       otherwise, and always for a single seed
 */
export function verdictOf(difference: Difference | null, least = 0): Verdict {
  if (difference === null) return 'not measured'
  const { mean, low, high } = difference
  if (low === null || high === null) return 'not decided'
  if (mean >= least && low > Math.min(0, least)) return 'holds'
  return high <= least ? 'does not hold' : 'not decided'
}
