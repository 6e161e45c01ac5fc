/** The data of a line chart, in words and as the rows of a table. */
import type { RunMark } from './run-marks.ts'
import { compact, percent } from '../format.ts'
import type { Point } from './scale.ts'

export type LineStyle = 'solid' | 'dashed' | 'dotted' | 'long-dashed' | 'dash-dotted'

export interface ChartSeries {
  name: string
  hue: 'policy' | 'reward' | 'environment' | 'ink'
  /** Differs between the series of a chart: not everybody can tell their hues apart. */
  line: LineStyle
  /** One for each iteration that has a value, in order. */
  points: Point[]
}

export interface Chart {
  id: string
  title: string
  /** One sentence on what is drawn and how it is defined. */
  about: string
  unit: 'share' | 'count' | 'number'
  series: ChartSeries[]
  reference?: { value: number; name: string }
}

/** A mean and its confidence interval at x. */
export interface Interval {
  x: number
  mean: number
  low: number
  high: number
}

/** A curve of another run, drawn behind those of the chart. A band shows the spread around its points. */
export interface OverlayCurve {
  letter: string
  /** A CSS colour. */
  colour: string
  mark: RunMark
  points: readonly Point[]
  /** The curves whose mean `points` is; none for a single run. */
  seeds: readonly (readonly Point[])[]
  band: readonly Interval[] | null
}

export function writeValue({ unit }: Pick<Chart, 'unit'>, value: number): string {
  if (unit === 'share') return percent(value, 1)
  return compact(unit === 'count' ? value : Number(value.toPrecision(3)))
}

/** A place on the axis of iterations where something changed. */
export interface ChartMark {
  iteration: number
  /** Short, beside the mark. */
  text: string
  /** All that changed, for the pointer and for screen readers. */
  title: string
}

/** Values that a metric can have: shares from 0 to 1, counts from 0. */
export function boundsOf(unit: Chart['unit']): [number, number] {
  return [unit === 'number' ? -Infinity : 0, unit === 'share' ? 1 : Infinity]
}

/** Where each curve starts, where it is now, and over which iterations. */
export function summarise(chart: Chart): string {
  const known = chart.series.filter(({ points }) => points.length > 0)
  if (known.length === 0) return 'No values yet.'
  const sentences = known.map(({ name, points }) => {
    const first = points[0]!
    const last = points.at(-1)!
    if (points.length === 1) return `${name} ${writeValue(chart, last.y)} at iteration ${last.x}`
    return `${name} ${writeValue(chart, first.y)} → ${writeValue(chart, last.y)} (iterations ${first.x} to ${last.x})`
  })
  return `${sentences.join('; ')}.`
}

/** The value at an iteration, or the last one before it. */
export function valueAt({ points }: { points: readonly Point[] }, iteration: number): number | null {
  return points.findLast(({ x }) => x <= iteration)?.y ?? null
}

export interface TableRow {
  /** Place on the x axis, usually an iteration. */
  at: number
  /** One for each curve; null where it has no value. */
  values: (number | null)[]
}

/** A row for each x at which any of the curves has a value, in order. */
export function tableRows(curves: readonly { points: readonly Point[] }[]): TableRow[] {
  const rows = new Map<number, (number | null)[]>()
  curves.forEach(({ points }, c) => {
    for (const { x, y } of points) {
      let row = rows.get(x)
      if (!row) rows.set(x, (row = curves.map(() => null)))
      row[c] = y
    }
  })
  return [...rows].sort(([a], [b]) => a - b).map(([at, values]) => ({ at, values }))
}
