/** What a paired difference says of a claim. */
import type { Difference } from '../../../results/paired-difference.ts'
import type { Verdict } from '../../../results/results-file.ts'

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
