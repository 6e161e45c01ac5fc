/**
 * How much training accuracy moves beyond the draw of tasks. An iteration's accuracy is the mean of n tasks' accuracies p, of other
 * tasks than the iteration before, so it moves even if the policy stays the same. Over iterations,
 *
 *     oscillation² = max(0, s² − mean of var(p) / n)
 *
 * where s² is the variance of accuracy around its straight line, and var(p) the variance between the tasks of one iteration, which
 * includes the chance of their rollouts.
 */
import { mean, varianceOfMean } from '../../../results/moments.ts'

/** `accuracies[iteration][task]`. Null for fewer than three iterations, or an iteration of fewer than two tasks. */
export function oscillation(accuracies: readonly (readonly number[])[]): number | null {
  const around = varianceAroundLine(accuracies.map(mean))
  if (around === null || accuracies.some((tasks) => tasks.length < 2)) return null
  return Math.sqrt(Math.max(0, around - mean(accuracies.map(varianceOfMean))))
}

/** With the two degrees of freedom of the line; null for fewer than three values. */
export function varianceAroundLine(values: readonly number[]): number | null {
  const n = values.length
  if (n < 3) return null
  const middle = (n - 1) / 2
  const level = mean(values)
  const spread = values.reduce((sum, _, x) => sum + (x - middle) ** 2, 0)
  const slope = values.reduce((sum, value, x) => sum + (x - middle) * (value - level), 0) / spread
  return values.reduce((sum, value, x) => sum + (value - level - slope * (x - middle)) ** 2, 0) / (n - 2)
}
