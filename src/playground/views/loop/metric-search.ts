/**
 * Finds series of a run by name and charts them. Searches our names and those of verl, TRL and W&B's callback for TRL
 * (src/runs/metric-aliases.ts).
 */
import type { RunView } from '../../../runs/fold.ts'
import { JUDGE_MEASURES } from '../../../method/judge-evaluation/measures.ts'
import { SAMPLED } from '../../../method/metric-points.ts'
import { METRICS } from '../../../method/metrics.ts'
import { METRIC_ALIASES } from '../../../runs/metric-aliases.ts'
import type { MetricRow } from '../../../runs/metric-rows.ts'
import type { Point } from '../../kit/charts/scale.ts'
import { rowPoints } from '../../run/compare.ts'
import type { RunChart, RunSeries } from '../../run/curves.ts'
import { seriesPoints } from '../../run/series-points.ts'

interface Alias {
  of: 'verl' | 'TRL' | 'TRL in W&B'
  name: string
}

export interface FoundMetric {
  name: string
  aliases: readonly Alias[]
  /** The aliases that match. */
  foundBy: readonly Alias[]
}

/** Names in the rows of a kept run, which add computing times to those in the log. */
export function rowNames(rows: readonly MetricRow[]): Set<string> {
  return new Set(rows.flatMap(({ values }) => Object.keys(values)))
}

/** In alphabetical order. */
export function metricNames(view: RunView, others: ReadonlySet<string>): string[] {
  return [...new Set([...view.seriesNames, ...others])].sort()
}

export function aliasesOf(name: string): Alias[] {
  const { verl, trl } = METRIC_ALIASES[name] ?? {}
  return [
    ...(verl !== undefined && verl !== name ? [{ of: 'verl' as const, name: verl }] : []),
    ...(trl === undefined
      ? []
      : ([
          { of: 'TRL', name: trl },
          { of: 'TRL in W&B', name: `train/${trl}` },
        ] as const)),
  ]
}

export function findMetrics(names: readonly string[], expression: RegExp): FoundMetric[] {
  return names.flatMap((name) => {
    const aliases = aliasesOf(name)
    const foundBy = aliases.filter((alias) => expression.test(alias.name))
    return foundBy.length > 0 || expression.test(name) ? [{ name, aliases, foundBy }] : []
  })
}

/** Points from the log, or else from the rows up to the iteration on show. */
export function metricPoints(view: RunView, rows: readonly MetricRow[], name: string): Point[] {
  const points = seriesPoints(view, name)
  if (points.length > 0) return points
  const last = view.current?.iteration ?? 0
  return rowPoints(rows, { metric: name }).filter(({ x }) => x <= last)
}

export function metricChart(view: RunView, rows: readonly MetricRow[], { name, aliases }: FoundMetric): RunChart {
  const known = aliases.filter(({ of }) => of !== 'TRL in W&B').map((alias) => `${alias.of} calls it ${alias.name}.`)
  return {
    id: name,
    title: name,
    unit: 'number',
    about: [meaningOf(name), ...known].join(' '),
    series: [
      {
        name: 'this run',
        hue: hueOf(name),
        line: 'solid',
        points: metricPoints(view, rows, name),
        source: { metric: name },
      },
    ],
  }
}

function meaningOf(name: string): string {
  const own = METRICS[name] ?? JUDGE_MEASURES[name]
  if (own !== undefined) return own
  if (name.startsWith('timing_s/'))
    return 'Computing time of an iteration, in seconds; measured here and not in the log.'
  const [, split, leaf] = /^eval\/([^/]+)\/(.+)$/u.exec(name) ?? []
  if (split !== undefined) {
    const isSampled = leaf!.endsWith(SAMPLED)
    const measure = isSampled ? leaf!.slice(0, -SAMPLED.length) : leaf!
    const words = { acc: 'Share of solved episodes', ut: 'UT', detect: 'Detect' }[measure] ?? measure
    const where = { id: 'in distribution', ood: 'out of distribution' }[split] ?? split
    return `${words} in evaluations, ${where}, at the ${isSampled ? 'training' : 'evaluation'} temperature.`
  }
  if (name === 'theory/mu') return 'Precision μ = p₊ + p₋, estimated on the rollouts of an iteration.'
  if (name === 'theory/grounded') return 'E[O·S]: mean agreement of a vote with the outcome.'
  if (name === 'theory/self_consistency')
    return 'λ E[mean S · S]: mean agreement of a vote with the votes on its step, weighted by λ. It does not depend on the outcome.'
  if (name.startsWith('theory/')) return 'Estimated on the rollouts of an iteration.'
  if (name.endsWith('/examples')) return 'Examples that the model learned from.'
  return 'As this run logged it.'
}

function hueOf(name: string): RunSeries['hue'] {
  if (/^(?:policy|eval)\//u.test(name)) return 'policy'
  if (/^(?:reward|judge|theory)\//u.test(name)) return 'reward'
  return name.startsWith('env/') ? 'environment' : 'ink'
}
