/** Curves of several seeds as one: their mean and its 95 % interval. Only iterations in which every seed has a value count. */
import { meanInterval } from '../../results/student-t.ts'
import type { Interval } from '../kit/charts/series.ts'

/** The fewest seeds whose interval says something: that of two is up to a hundred times as wide as their distance. */
export const LEAST_SEEDS = 3

/** `seeds[s]` are the points of one seed. */
export function seedIntervals(seeds: readonly (readonly { x: number; y: number }[])[]): Interval[] {
  const byX = new Map<number, number[]>()
  for (const points of seeds) {
    for (const { x, y } of points) {
      const values = byX.get(x)
      if (values) values.push(y)
      else byX.set(x, [y])
    }
  }
  return [...byX]
    .filter(([, values]) => values.length === seeds.length)
    .flatMap(([x, values]) => {
      const interval = meanInterval(values)
      return interval ? [{ x, ...interval }] : []
    })
    .sort((a, b) => a.x - b.x)
}
