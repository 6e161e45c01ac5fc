/**
 * The difference of two configurations over seeds, with a 95 % interval.
 *
 * Paired if both have the same seeds, or at least three in common. A seed gives both the same first tasks, held-out tasks and random
 * streams, so that its common effect cancels (Student's paired test; common random numbers, Law, Simulation Modeling and
 * Analysis, 11.2):
 *
 *     d_s = y_s − x_s        d̄ ± t(0.975, n − 1) · s_d / √n        n common seeds
 *
 * Otherwise unpaired, with unequal variances (Welch, Biometrika 34, 1947, 28–35) and Satterthwaite's degrees of freedom,
 * rounded down, which can only widen the interval:
 *
 *     ȳ − x̄ ± t(0.975, ν) · √(a + b)       a = s_y²/n_y,  b = s_x²/n_x,  ν = (a + b)² / (a²/(n_y − 1) + b²/(n_x − 1))
 *
 * Intervals are not corrected for multiple comparisons: of twenty without any difference, expect one to miss zero.
 */
import { mean, varianceOfMean } from '../../../results/moments.ts'
import { LEAST_SEEDS } from '../../run/seed-interval.ts'
import { meanInterval, studentT } from '../../../results/student-t.ts'

export type BySeed = ReadonlyMap<number, number>

export interface SeedDifference {
  mean: number
  /** Half the width of the interval; null for too few seeds. */
  half: number | null
  kind: 'paired' | 'welch'
  /** Number of pairs, or of seeds in the smaller group. */
  n: number
}

export type Verdict = 'above' | 'below' | 'spans-zero' | 'equal' | 'no-spread' | 'no-interval'

/** y − x; null if either has no seeds. */
export function seedDifference(y: BySeed, x: BySeed): SeedDifference | null {
  if (y.size === 0 || x.size === 0) return null
  const pairs = [...y].flatMap(([seed, value]) => (x.has(seed) ? [value - x.get(seed)!] : []))
  const isEach = pairs.length === y.size && pairs.length === x.size
  if (isEach || pairs.length >= LEAST_SEEDS) {
    const interval = pairs.length < LEAST_SEEDS ? null : meanInterval(pairs)
    return { mean: mean(pairs), half: interval && interval.high - interval.mean, kind: 'paired', n: pairs.length }
  }
  const [ofY, ofX] = [[...y.values()], [...x.values()]]
  const difference = { mean: mean(ofY) - mean(ofX), kind: 'welch' as const, n: Math.min(y.size, x.size) }
  if (difference.n < LEAST_SEEDS) return { ...difference, half: null }
  const [a, b] = [varianceOfMean(ofY), varianceOfMean(ofX)]
  if (a + b === 0) return { ...difference, half: 0 }
  const degrees = (a + b) ** 2 / (a ** 2 / (y.size - 1) + b ** 2 / (x.size - 1))
  return { ...difference, half: studentT(Math.max(1, Math.floor(degrees))) * Math.sqrt(a + b) }
}

/** Covers the rounding of sums of shares; far below the effect of one episode. */
const TINY = 1e-9

export function verdictOf({ mean, half }: SeedDifference): Verdict {
  if (half === null) return 'no-interval'
  if (half <= TINY && Math.abs(mean) <= TINY) return 'equal'
  if (Math.abs(mean) <= half) return 'spans-zero'
  // Identical differences show that values are coarse, not that the difference is exact.
  if (half <= TINY) return 'no-spread'
  return mean > 0 ? 'above' : 'below'
}
