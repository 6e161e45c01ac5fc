/** Runs drawn over the curves of the shown run: single runs as lines, seeds of one configuration as mean and interval. */
import type { MetricRow } from '../../runs/metric-rows.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import type { RunChart, SeriesSource } from './curves.ts'
import { percent, UNKNOWN } from '../kit/format.ts'
import { differingSettings, groupKey, runName } from './run-names.ts'
import { LEAST_SEEDS, seedIntervals } from './seed-interval.ts'
import { growingAxis, iterationAxis, type Axis, type AxisName } from '../kit/charts/chart-axis.ts'
import { RUN_MARKS, type RunMark } from '../kit/charts/run-marks.ts'
import { boundsOf, type OverlayCurve } from '../kit/charts/series.ts'
import type { Point } from '../kit/charts/scale.ts'

export interface Compared {
  /** Its name in the charts: A, B, C. */
  letter: string
  /** A CSS colour, in the charts and wherever the letter is. */
  colour: string
  /** On its curves. */
  mark: RunMark
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
    colour: `var(--run-${1 + (i % RUN_MARKS.length)})`,
    mark: RUN_MARKS[i % RUN_MARKS.length]!,
    name:
      members.length > 1
        ? runName(members[0]!.summary).replace(/seed \d+/, `${members.length} seeds`)
        : runName(members[0]!.summary),
    members,
  }))
}

/**
 * Tells compared runs apart in few words, by the settings in which they differ: "λ 0.5, 3 seeds". In full where something else differs,
 * or nothing.
 */
export function briefNames(compared: readonly Compared[]): string[] {
  const firsts = compared.map(({ members }) => members[0]!.summary)
  const settings = differingSettings(firsts).filter(({ name }) => name !== 'seed')
  const isPlain = firsts.every(
    ({ preset, changes, replacements = [], origin, worldFile }) =>
      preset === firsts[0]!.preset &&
      worldFile?.hash === firsts[0]!.worldFile?.hash &&
      changes.length === 0 &&
      replacements.length === 0 &&
      origin?.kind !== 'branch',
  )
  if (!isPlain || settings.length === 0) return compared.map(({ name }) => name)
  return compared.map(({ members }, i) => {
    const seeds = members.length > 1 ? `${members.length} seeds` : `seed ${members[0]!.summary.settings.seed}`
    return [...settings.map(({ label, values }) => `${label} ${values[i]!}`), seeds].join(', ')
  })
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
  const [least, most] = boundsOf(chart.unit)
  return compared.map(({ letter, colour, mark, members }): OverlayCurve => {
    const axes = members.map(({ rows }) => axisOf(rows))
    const seeds = members.map(({ rows }) => rowPoints(rows, source))
    // Seeds take different numbers of rollouts and steps to an iteration: their mean stands at the mean of these.
    const place = <P extends { x: number }>(points: P[]): P[] =>
      points.flatMap((point) => {
        const places = axes.map((axis) => axis.of(point.x)).filter((x) => x !== null)
        const x = places.reduce((sum, value) => sum + value, 0) / places.length
        return places.length === 0 ? [] : [{ ...point, x }]
      })
    if (seeds.length === 1) return { letter, colour, mark, points: place(seeds[0]!), seeds: [], band: null }
    const intervals = place(seedIntervals(seeds))
    const band = intervals.map((each) => ({
      ...each,
      low: Math.max(least, each.low),
      high: Math.min(most, each.high),
    }))
    return {
      letter,
      colour,
      mark,
      points: intervals.map(({ x, mean }) => ({ x, y: mean })),
      seeds: seeds.map(place),
      band: seeds.length < LEAST_SEEDS ? null : band,
    }
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

/** A value of the comparison table, and what belongs below it: the interval of its seeds, its iteration. */
interface LastValue {
  value: string
  notes: string[]
}

/**
 * The last value of each of the compared runs: a share for a single run, both for two seeds, and from three seeds their mean
 * and its interval within 0 and 100 %. With the iteration where that is not the last one of the run.
 */
export function lastValues(compared: readonly Compared[], metric: string): LastValue[] {
  const last = compared.map(({ members }) => lastValue(members.map(({ rows }) => rowPoints(rows, { metric }))))
  const isUneven = new Set(last.flatMap((value) => (value ? [value.iteration] : []))).size > 1
  return last.map((found, i) => {
    if (!found) return { value: UNKNOWN, notes: [] }
    const { value, notes, iteration } = found
    const isLast = compared[i]!.members.every(({ rows }) => rows.at(-1)?.iteration === iteration)
    if (isLast && !isUneven) return { value, notes }
    return { value, notes: [...notes, iteration === 0 ? 'before training' : `iteration ${iteration}`] }
  })
}

function lastValue(seeds: readonly Point[][]): (LastValue & { iteration: number }) | null {
  if (seeds.length === 1) {
    const single = seeds[0]!.at(-1)
    return single ? { value: percent(single.y, 1), notes: [], iteration: single.x } : null
  }
  const interval = seedIntervals(seeds).at(-1)
  if (!interval) return null
  const { x: iteration, mean } = interval
  if (seeds.length < LEAST_SEEDS) {
    const each = seeds.map((points) => percent(points.find(({ x }) => x === iteration)!.y, 1))
    return { value: each.join(', '), notes: [], iteration }
  }
  const [low, high] = [Math.max(0, interval.low), Math.min(1, interval.high)]
  return { value: percent(mean, 1), notes: [`${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}`], iteration }
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
