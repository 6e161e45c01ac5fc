/** The charts of a run: its metrics as curves over iterations. */
import type { IterationView, RunView } from '../../runs/fold.ts'
import type { Point } from '../kit/charts/scale.ts'
import type { Chart, ChartSeries } from '../kit/charts/series.ts'
import { SAMPLED } from '../../method/metric-points.ts'
import { DEFAULTS, type World } from '../../method/settings.ts'
import { WORLDS } from '../../worlds/index.ts'
import { seriesPoints } from './series-points.ts'

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

/** Training rollouts so far at each finished iteration, candidates included. Older logs have no metric of it, but the episodes. */
export function rolloutPoints(view: RunView): Point[] {
  let played = 0
  return view.iterations.flatMap(({ iteration, episodes, tallies, metrics, isFinished }) => {
    played += tallies.reduce((sum, tally) => sum + tally.played, episodes.length)
    return isFinished ? [{ x: iteration, y: metrics['rollout/total'] ?? played }] : []
  })
}

export function charts(view: RunView, world: World = view.settings?.world ?? DEFAULTS.world): RunChart[] {
  const metric = (name: string): Point[] => seriesPoints(view, name)
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
  /** From the first measured candidate on; older logs have no estimate to tell it by, only zeros before it. */
  const chance = metric('env/null_accept_rate')
  const accepted = metric('env/accept_rate').filter(({ x }) => chance.length === 0 || x >= chance[0]!.x)
  const own = measured.map((chart): RunChart => ({
    ...chart,
    series: withoutRepetition(chart.series.map(({ metric, ...series }) => ({ ...series, ...of(metric) }))),
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
      id: 'acceptance',
      title: 'Accepted share of rewrites',
      unit: 'share',
      about:
        `The share of accepted rewrites so far, and an estimate of that share if no ${nouns.task} had changed at all. A ${nouns.task} is rewritten where its accuracy was extreme, which is partly chance: a second measurement tends back to the middle. The author does something only above the dashed line. ` +
        'Estimated from the pool’s accuracies as if they followed a Beta distribution and the policy had not changed; a run with “Rewrites by: null” measures it.',
      series: [
        {
          name: 'accepted',
          hue: 'environment',
          line: 'solid',
          points: accepted,
          source: { metric: 'env/accept_rate', ...(chance.length > 0 && { onlyWith: 'env/null_accept_rate' }) },
        },
        {
          name: 'by chance, estimated',
          hue: 'ink',
          line: 'dashed',
          points: chance,
          source: { metric: 'env/null_accept_rate' },
        },
      ],
    },
    {
      id: 'rewritten',
      title: `Training on rewritten ${nouns.task}s`,
      unit: 'share',
      about: `Share of an iteration’s training rollouts that are on rewritten ${nouns.task}s, and share of the pool that is rewritten. Without the first, adaptation changes nothing.`,
      series: [
        { name: 'of training rollouts', hue: 'environment', line: 'solid', ...of('env/rewritten_share') },
        { name: 'of the pool', hue: 'environment', line: 'dashed', ...of('env/frac_synthetic') },
      ],
    },
    {
      id: 'rollouts',
      title: 'Rollouts',
      unit: 'count',
      about: `Training rollouts so far. Candidates, and ${nouns.task}s that are measured again, are played in addition: compare arms over rollouts as well as over iterations.`,
      series: [
        {
          name: 'rollouts',
          hue: 'environment',
          line: 'solid',
          points: rolloutPoints(view),
          source: { metric: 'rollout/total' },
        },
      ],
    },
    {
      id: 'uninformative',
      title: 'What teaches nothing',
      unit: 'share',
      about:
        'Share of comparison sets whose feedback is the same throughout or that the filter on accuracy drops, and share of groups that the filter drops.',
      series: [
        { name: 'sets without signal', hue: 'policy', line: 'solid', ...of('policy/frac_reward_zero_std') },
        { name: 'groups dropped', hue: 'ink', line: 'dashed', ...of('policy/frac_untrained_groups') },
      ],
    },
    {
      id: 'pleasing',
      title: 'Votes and outcomes in training',
      unit: 'number',
      about:
        'Mean vote and mean outcome of the training rollouts, from −1 to 1. If votes rise while outcomes do not, the policy may please its judge, or the judge became kinder, or the tasks harder: held-out accuracy tells. Where the reward model writes tests, a vote is a test’s result.',
      series: [
        { name: 'mean vote', hue: 'reward', line: 'solid', ...of('policy/step_score/mean') },
        { name: 'mean outcome', hue: 'policy', line: 'dashed', ...of('policy/outcome/mean') },
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
        'What a vote earns on average, in its two terms: E[O·S] for agreeing with the outcome, λ E[mean S · S] for agreeing with the other votes on the step. The second does not depend on what is true. Whether the judge collapses, neither tells: fixed trajectories do.',
      series: [
        { name: 'E[O·S], grounded', hue: 'reward', line: 'solid', ...of('theory/grounded') },
        { name: 'λ E[mean S · S], self-consistency', hue: 'ink', line: 'dashed', ...of('theory/self_consistency') },
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

/**
 * Without series that say nothing beside their counterpart at the other temperature: sampled ones where both temperatures are
 * equal or nothing is measured yet, and those at the evaluation temperature in older runs, which have only sampled ones.
 */
function withoutRepetition(series: RunSeries[]): RunSeries[] {
  const pointsOf = (metric: string) => series.find(({ source }) => source?.metric === metric)?.points
  return series.filter(({ source, points }) => {
    const metric = source?.metric ?? ''
    if (!metric.endsWith(SAMPLED)) return points.length > 0 || !pointsOf(metric + SAMPLED)?.length
    const main = pointsOf(metric.slice(0, -SAMPLED.length)) ?? []
    return points.length > 0 && !isSame(points, main)
  })
}

/** Whether two series agree wherever both are measured: during an evaluation, one of them has a point more. */
function isSame(points: readonly Point[], others: readonly Point[]): boolean {
  const values = new Map(others.map(({ x, y }) => [x, y]))
  const common = points.filter(({ x }) => values.has(x))
  return common.length > 0 && common.every(({ x, y }) => values.get(x) === y)
}
