/** Runs laid over the curves of the one on show: single ones as lines, seeds of one configuration as mean and interval. */
import type { MetricRow } from '../../runs/metric-rows.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import type { Chart, SeriesSource } from './curves.ts'
import { percent, UNKNOWN } from '../kit/format.ts'
import { groupKey, runName } from './run-names.ts'
import { seedIntervals, type Interval } from '../kit/charts/seed-interval.ts'
import type { Axis } from '../kit/charts/chart-axis.ts'
import type { Point } from '../kit/charts/scale.ts'

export interface Compared {
  /** By which the chart calls it: A, B, C. */
  letter: string
  name: string
  members: readonly { summary: RunSummary; rows: readonly MetricRow[] }[]
}

/** What a chart draws of one. `band` is there for several seeds, whose `points` are their means. */
export interface OverlayCurve {
  letter: string
  points: Point[]
  band: Interval[] | null
}

/** Each run by itself, or those that differ in their seed alone together. */
export function comparedRuns(chosen: Compared['members'], joinsSeeds: boolean): Compared[] {
  const groups = new Map<string, Compared['members'][number][]>()
  for (const run of chosen) {
    const key = joinsSeeds ? groupKey(run.summary) : run.summary.runId
    const group = groups.get(key)
    if (group) group.push(run)
    else groups.set(key, [run])
  }
  return Array.from(groups.values(), (members, i) => ({
    letter: letterOf(i),
    name:
      members.length > 1
        ? runName(members[0]!.summary).replace(/seed \d+/, `${members.length} seeds`)
        : runName(members[0]!.summary),
    members,
  }))
}

function letterOf(index: number): string {
  return String.fromCharCode(65 + (index % 26)) + (index < 26 ? '' : String(Math.floor(index / 26) + 1))
}

/** The first curve of the chart for each of the compared. Seeds are averaged at equal iterations. */
export function overlayCurves(
  chart: Chart,
  compared: readonly Compared[],
  axisOf: (rows: readonly MetricRow[]) => Axis,
): OverlayCurve[] {
  const source = chart.series[0]?.source
  if (!source) return []
  return compared.map(({ letter, members }): OverlayCurve => {
    const axis = axisOf(members[0]!.rows)
    const seeds = members.map(({ rows }) => rowPoints(rows, source))
    const place = <P extends { x: number }>(points: P[]): P[] =>
      points.flatMap((point) => {
        const x = axis.of(point.x)
        return x === null ? [] : [{ ...point, x }]
      })
    if (seeds.length === 1) return { letter, points: place(seeds[0]!), band: null }
    const band = place(seedIntervals(seeds))
    return { letter, points: band.map(({ x, mean }) => ({ x, y: mean })), band }
  })
}

export function rowPoints(rows: readonly MetricRow[], { metric, isTotal, onlyWith }: SeriesSource): Point[] {
  let total = 0
  return rows.flatMap(({ iteration, values }) => {
    const value = values[metric]
    if (value === undefined || (onlyWith !== undefined && !(onlyWith in values))) return []
    return [{ x: iteration, y: isTotal ? (total += value) : value }]
  })
}

/** What the last iterations of the compared came to; for seeds mean and interval. */
export function lastValues(compared: readonly Compared[], metric: string): string[] {
  return compared.map(({ members }) => {
    const seeds = members.map(({ rows }) => rowPoints(rows, { metric }))
    const single = seeds.length === 1 ? seeds[0]!.at(-1) : undefined
    if (single) return percent(single.y, 1)
    const interval = seeds.length > 1 ? seedIntervals(seeds).at(-1) : undefined
    if (!interval) return UNKNOWN
    return `${percent(interval.mean, 1)} ± ${(100 * (interval.high - interval.mean)).toFixed(1)}`
  })
}
