/** What the vertical axis of a chart covers: shares always 0 to 1, anything else what is seen of it. */
import { logTicks, roundDomain, ticks, type Point } from './scale.ts'
import { pointsInside, type ChartRange } from './chart-range.ts'
import type { Chart } from '../../run/curves.ts'

export interface ValueScale {
  domain: [number, number]
  ticks: number[]
  /** A logarithm was wished for, and all values allow one. */
  isLog: boolean
}

/** Values of a line inside the range, or, where it has none there, the ends of what crosses it. */
export function valuesSeen(points: readonly Point[], range: ChartRange | null): number[] {
  const inside = pointsInside(points, range)
  return (inside.length > 0 ? inside : points).map(({ y }) => y)
}

/** `isWhole`: nothing is cut off, so that the line to compare with is part of it, and small counts stay small. */
export function valueScale(
  { unit, reference }: Pick<Chart, 'unit' | 'reference'>,
  values: readonly number[],
  { isLogWished, isWhole }: { isLogWished: boolean; isWhole: boolean },
): ValueScale {
  if (unit === 'share') return { domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], isLog: false }
  const shown = reference && isWhole ? [...values, reference.value] : values
  if (isLogWished && values.length > 0 && shown.every((value) => value > 0)) {
    const [low, high] = shown.reduce(([l, h], value) => [Math.min(l, value), Math.max(h, value)], [Infinity, 0])
    const domain: [number, number] = low < high ? [low, high] : [low / 2, high * 2]
    return { domain, ticks: logTicks(domain), isLog: true }
  }
  const domain = roundDomain(shown, unit === 'count' && isWhole ? [0, 4] : undefined)
  return { domain, ticks: ticks(domain, 4, unit === 'count'), isLog: false }
}
