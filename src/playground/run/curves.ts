/** The charts of a run: its metrics as curves over iterations. */
import type { IterationView, RunView } from '../../runs/fold.ts'
import type { Point } from '../kit/charts/scale.ts'
import type { Chart, ChartSeries } from '../kit/charts/series.ts'
import { DEFAULTS, type World } from '../../method/settings.ts'
import { WORLDS } from '../../worlds/index.ts'

/** Where the rows of a kept run (metric-rows.ts) have the values of a series. */
export interface SeriesSource {
  metric: string
  /** Values are added up over the iterations. */
  isTotal?: boolean
  /** Skips iterations without this metric. */
  onlyWith?: string
}

export interface RunSeries extends ChartSeries {
  /** Missing where the rows do not have it. */
  source?: SeriesSource
}

export interface RunChart extends Chart {
  series: RunSeries[]
}

export function charts(view: RunView, world: World = view.settings?.world ?? DEFAULTS.world): RunChart[] {
  const metric = (name: string): Point[] => {
    const { iterations, values } = view.series(name)
    return iterations.map((x, i) => ({ x, y: values[i]! }))
  }
  const of = (name: string) => ({ points: metric(name), source: { metric: name } })
  const along = (pick: (iteration: IterationView) => number | undefined): Point[] =>
    view.iterations.flatMap((iteration) => {
      const y = pick(iteration)
      return y === undefined ? [] : [{ x: iteration.iteration, y }]
    })
  const total = (pick: (iteration: IterationView) => number): Point[] => {
    let sum = 0
    return along((iteration) => (iteration.isFinished ? (sum += pick(iteration)) : undefined))
  }
  /** Only iterations in which the model learned: a frozen model has no loss. */
  const learned = (leaf: 'pg_loss' | 'ppo_kl'): RunSeries[] => [
    {
      name: 'policy',
      hue: 'policy',
      line: 'solid',
      points: along((i) => i.policyUpdate?.metrics[leaf]),
      source: { metric: `policy/${leaf}`, onlyWith: 'policy/examples' },
    },
    {
      name: 'reward model',
      hue: 'reward',
      line: 'dashed',
      points: along((i) => i.rewardUpdate?.metrics[leaf]),
      source: { metric: `reward/${leaf}`, onlyWith: 'reward/examples' },
    },
  ]
  const { charts: measured, nouns, precision } = WORLDS[world]
  const own = measured.map((chart): RunChart => ({
    ...chart,
    series: chart.series.map(({ metric, ...series }) => ({ ...series, ...of(metric) })),
  }))
  return [
    ...own,
    {
      id: 'tasks',
      title: `Rewritten ${nouns.task}s`,
      unit: 'count',
      about: 'Rewrites so far: how many the author proposed and how many were accepted.',
      series: [
        {
          name: 'accepted',
          hue: 'environment',
          line: 'solid',
          points: total((i) => i.resolved.filter((r) => r.accepted).length),
          source: { metric: 'env/accepted', isTotal: true },
        },
        { name: 'proposed', hue: 'environment', line: 'dashed', points: total((i) => i.proposed.length) },
      ],
    },
    {
      id: 'theory',
      title: 'Precision μ = p₊ + p₋',
      unit: 'number',
      reference: { value: 1, name: 'no signal' },
      about: `${precision} The reward model carries a signal only where μ is above 1.`,
      series: [{ name: 'μ', hue: 'reward', line: 'solid', ...of('theory/mu') }],
    },
    {
      id: 'consistency',
      title: 'Consistency feedback E[R·S]',
      unit: 'number',
      reference: { value: 0, name: 'nothing to gain' },
      about:
        'What a vote earns on average, in its two terms: E[O·S] for agreeing with the outcome, λ E[S̄·S] for agreeing with the other votes on the step. The second does not depend on what is true: if it rises while the first falls, the judge is collapsing.',
      series: [
        { name: 'E[O·S], grounded', hue: 'reward', line: 'solid', ...of('theory/grounded') },
        { name: 'λ E[S̄·S], self-consistency', hue: 'ink', line: 'dashed', ...of('theory/self_consistency') },
      ],
    },
    {
      id: 'entropy',
      title: 'Entropy',
      unit: 'number',
      about: 'Mean entropy of the sampled tokens in nats. A fall to 0 is a collapse.',
      series: [
        { name: 'policy', hue: 'policy', line: 'solid', ...of('policy/entropy') },
        { name: 'reward model', hue: 'reward', line: 'dashed', ...of('reward/entropy') },
      ],
    },
    {
      id: 'kl',
      title: 'KL of the update',
      unit: 'number',
      about: 'ppo_kl: how far the update moved each model from the weights that sampled its data.',
      series: learned('ppo_kl'),
    },
    {
      id: 'loss',
      title: 'Policy-gradient loss',
      unit: 'number',
      about: 'pg_loss: the clipped surrogate. It need not fall; look for jumps and drift.',
      series: learned('pg_loss'),
    },
  ]
}
