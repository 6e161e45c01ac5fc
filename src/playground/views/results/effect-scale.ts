/** The scale of effects. */
import type { PartRow } from '../../../results/part-effects.ts'

/** Per cent of the width at which a difference is, on a scale that has zero and every interval. */
export function effectScale(rows: readonly PartRow[]): (difference: number) => number {
  const effects = rows.flatMap(({ cells }) => cells.flat())
  const all = effects.flatMap(({ low, high, paper }) => [low, high, paper ?? 0])
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)]
  return (difference) => (100 * (difference - low)) / (high - low || 1)
}
