/**
 * The part of the x axis that all curves of a section show, in units of the axis. A range that ends at the newest
 * iteration moves along with the run and keeps its width; any other stays in place.
 */
import type { Point } from './scale.ts'
import type { Axis, AxisName } from './chart-axis.ts'
import type { Chart } from './series.ts'
import { compact } from '../format.ts'

export interface ChartRange {
  from: number
  to: number
}

/** A range with the run and the axis it was chosen on. */
export interface ChosenRange extends ChartRange {
  runId: string | null
  axis: AxisName
  /** Ended at the newest iteration, and moves with it. */
  follows: boolean
}

/** Null for the whole run. `end` is the end of the longest curve, which may belong to another run. */
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

/** The range between two ends of a drag, in either order; on an axis of iterations at least one whole iteration. */
export function draggedRange(one: number, other: number, axis: Axis): ChartRange {
  const from = Math.min(one, other)
  const to = Math.max(one, other)
  if (axis.name !== 'iteration') return { from, to }
  return { from: Math.floor(from), to: Math.max(Math.floor(from) + 1, Math.ceil(to)) }
}

/** The part of the axis to show now; null for all of it. On another axis, a chosen range keeps its iterations. */
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
  // A running iteration has no place on the other axes yet.
  const to = axis.of(own.iterationAt(range.to)) ?? axis.last
  return from === null || from >= to ? null : { from, to }
}

/** Reads the two fields of a range; an empty field means that end of the axis. */
export function readRange(from: string, to: string, end: number): ChartRange | { problem: string } {
  const low = from.trim() === '' ? 0 : Number(from)
  const high = to.trim() === '' ? end : Number(to)
  const wrong = !Number.isFinite(low) ? from : !Number.isFinite(high) ? to : null
  if (wrong !== null) return { problem: `“${wrong}” is not a number. Enter a number, or leave the field empty.` }
  if (low < 0) return { problem: `The axis starts at 0. Enter 0 or more instead of ${compact(low)}.` }
  if (low >= end)
    return {
      problem: `The curves end at ${compact(end)}. Enter less than that in “From”.`,
    }
  if (low >= high)
    return {
      problem: `The range from ${compact(low)} to ${compact(high)} is empty. Enter less in “From” than in “to”.`,
    }
  return { from: low, to: Math.min(high, end) }
}

/** The points in the range and one on either side, so that lines reach the edges. `points` are in order of x. */
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

/** The chart with only the iterations in the range. */
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
