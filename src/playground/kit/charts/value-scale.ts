/** The y axis of a chart: 0 to 1 for shares, else the range of the shown values. */
import { logTicks, roundDomain, ticks, type Point } from './scale.ts'
import { pointsInside, type ChartRange } from './chart-range.ts'
import type { Chart } from './series.ts'

interface ValueScale {
  domain: [number, number]
  ticks: number[]
  /** A logarithmic scale was requested, and all values are above 0. */
  isLog: boolean
}

/** Values of a line in the range, or, if none are, of the two points between which it crosses the range. */
export function valuesSeen(points: readonly Point[], range: ChartRange | null): number[] {
  const inside = pointsInside(points, range)
  return (inside.length > 0 ? inside : points).map(({ y }) => y)
}

/** With `isWhole`, no range is chosen: the scale includes the reference line, and that of counts reaches 4 at least. */
export function valueScale(
  { unit, reference }: Pick<Chart, 'unit' | 'reference'>,
  values: readonly number[],
  { prefersLog, isWhole }: { prefersLog: boolean; isWhole: boolean },
): ValueScale {
  if (unit === 'share') return { domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], isLog: false }
  const shown = reference && isWhole ? [...values, reference.value] : values
  if (prefersLog && values.length > 0 && shown.every((value) => value > 0)) {
    const [low, high] = shown.reduce(([l, h], value) => [Math.min(l, value), Math.max(h, value)], [Infinity, 0])
    const domain: [number, number] = low < high ? [low, high] : [low / 2, high * 2]
    return { domain, ticks: logTicks(domain), isLog: true }
  }
  const domain = roundDomain(shown, unit === 'count' && isWhole ? [0, 4] : undefined)
  return { domain, ticks: ticks(domain, 4, unit === 'count'), isLog: false }
}
