/**
 * Which stretch of the axis all curves of a section show together, in the units of the axis. One that ends at the newest
 * iteration goes along with the run, as wide as it is; any other stays where it is.
 */
import type { Point } from './scale.ts'
import type { Axis, AxisName } from './chart-axis.ts'
import type { Chart } from '../../run/curves.ts'
import { compact } from '../format.ts'

export interface ChartRange {
  from: number
  to: number
}

/** As it was chosen: of which run, and over what. */
export interface ChosenRange extends ChartRange {
  runId: string | null
  axis: AxisName
  /** It ended at the newest iteration. */
  follows: boolean
}

/** Null where that is the whole run. `end` is where the longest of the curves ends, which another run may have. */
export function chooseRange(
  { from, to }: ChartRange,
  axis: Axis,
  end: number,
  runId: string | null,
): ChosenRange | null {
  const low = Math.max(0, from)
  const high = Math.min(end, to)
  if (low <= 0 && high >= end) return null
  return { from: low, to: high, runId, axis: axis.name, follows: high >= axis.last }
}

/** Between two places of a drag, in either order; whole iterations, and never less than one. */
export function draggedRange(one: number, other: number, axis: Axis): ChartRange {
  const from = Math.min(one, other)
  const to = Math.max(one, other)
  if (axis.name !== 'iteration') return { from, to }
  return { from: Math.floor(from), to: Math.max(Math.floor(from) + 1, Math.ceil(to)) }
}

/** What is shown of the axis now; null for all of it. A range that was chosen over another quantity keeps its iterations. */
export function shownRange(
  chosen: ChosenRange | null,
  runId: string | null,
  axis: Axis,
  axisOf: (name: AxisName) => Axis,
): ChartRange | null {
  if (chosen === null || chosen.runId !== runId) return null
  const own = chosen.axis === axis.name ? axis : axisOf(chosen.axis)
  const moved = chosen.follows ? Math.max(0, own.last - chosen.to) : 0
  const range = { from: chosen.from + moved, to: chosen.to + moved }
  if (own === axis) return range
  const from = axis.of(own.iterationAt(range.from))
  // An iteration under way has no place on the others yet.
  const to = axis.of(own.iterationAt(range.to)) ?? axis.last
  return from === null || from >= to ? null : { from, to }
}

/** What was written into the two fields; an empty one is that end of the axis. */
export function readRange(from: string, to: string, end: number): ChartRange | { problem: string } {
  const low = from.trim() === '' ? 0 : Number(from)
  const high = to.trim() === '' ? end : Number(to)
  const wrong = !Number.isFinite(low) ? from : !Number.isFinite(high) ? to : null
  if (wrong !== null) return { problem: `“${wrong}” is no number, so the curves stay as they are.` }
  if (low < 0) return { problem: `The axis begins at 0, and ${compact(low)} is before it. Write 0 or more.` }
  if (low >= end)
    return {
      problem: `There is nothing from ${compact(low)} on: the curves end at ${compact(end)}. Let “From” be less than that.`,
    }
  if (low >= high)
    return { problem: `A range from ${compact(low)} to ${compact(high)} is empty. Let it begin before it ends.` }
  return { from: low, to: Math.min(high, end) }
}

/** The points inside, and the next one on either side, so that lines run up to the edges. In order of x. */
export function pointsAround<P extends Point>(points: readonly P[], range: ChartRange | null): readonly P[] {
  if (range === null) return points
  const first = points.findIndex(({ x }) => x >= range.from)
  if (first === -1) return points.slice(-1)
  const after = points.findIndex(({ x }) => x > range.to)
  return points.slice(Math.max(0, first - 1), after === -1 ? points.length : after + 1)
}

export function pointsInside<P extends Point>(points: readonly P[], range: ChartRange | null): readonly P[] {
  return range === null ? points : points.filter(({ x }) => x >= range.from && x <= range.to)
}

/** The chart with the iterations alone that are seen. */
export function seenChart(chart: Chart, axis: Axis, range: ChartRange | null): Chart {
  if (range === null) return chart
  return {
    ...chart,
    series: chart.series.map((series) => ({
      ...series,
      points: series.points.filter(({ x }) => {
        const at = axis.of(x)
        return at !== null && at >= range.from && at <= range.to
      }),
    })),
  }
}
