/** Runs drawn over the curves of the shown run: single runs as lines, seeds of one configuration as mean and interval. */
import type { MetricRow } from '../../runs/metric-rows.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import type { RunChart, SeriesSource } from './curves.ts'
import { percent, UNKNOWN } from '../kit/format.ts'
import { groupKey, runName } from './run-names.ts'
import { seedIntervals } from './seed-interval.ts'
import { growingAxis, iterationAxis, type Axis, type AxisName } from '../kit/charts/chart-axis.ts'
import type { OverlayCurve } from '../kit/charts/series.ts'
import type { Point } from '../kit/charts/scale.ts'

export interface Compared {
  /** Its name in the charts: A, B, C. */
  letter: string
  name: string
  members: readonly { summary: RunSummary; rows: readonly MetricRow[] }[]
}

/** Single runs, or with `joinsSeeds` groups of runs that differ only in their seed. */
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

/** The first curve of the chart for each of the compared runs. Seeds are averaged at equal iterations. */
export function overlayCurves(
  chart: RunChart,
  compared: readonly Compared[],
  axisOf: (rows: readonly MetricRow[]) => Axis,
): OverlayCurve[] {
  const source = chart.series[0]?.source
  if (!source) return []
  return compared.map(({ letter, members }): OverlayCurve => {
    const axes = members.map(({ rows }) => axisOf(rows))
    const seeds = members.map(({ rows }) => rowPoints(rows, source))
    // Seeds take different numbers of rollouts and steps to an iteration: their mean stands at the mean of these.
    const place = <P extends { x: number }>(points: P[]): P[] =>
      points.flatMap((point) => {
        const places = axes.map((axis) => axis.of(point.x)).filter((x) => x !== null)
        const x = places.reduce((sum, value) => sum + value, 0) / places.length
        return places.length === 0 ? [] : [{ ...point, x }]
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

/** The last value of each of the compared runs; for seeds their mean and interval. */
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

/** The x axis of a kept run. Rows of older runs have no rollouts, and so no place over them. */
export function rowsAxis(name: AxisName, rows: readonly MetricRow[]): Axis {
  if (name === 'iteration') return iterationAxis(rows.at(-1)?.iteration ?? 0)
  let seconds = 0
  const own = rows.filter(
    ({ iteration, values }) => iteration > 0 && (name !== 'rollouts' || 'rollout/total' in values),
  )
  const at = own.map(({ values }) => {
    if (name === 'rollouts') return values['rollout/total']!
    return name === 'steps' ? (values['training/env_steps'] ?? 0) : (seconds += values['timing_s/step'] ?? 0)
  })
  return growingAxis(
    name,
    own.map(({ iteration }) => iteration),
    at,
  )
}
