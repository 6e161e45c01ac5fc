/** The charts of a run: its metrics as curves over iterations. */
import type { IterationView, RunView } from '../../runs/fold.ts'
import type { Point } from '../kit/charts/scale.ts'
import type { Chart, ChartSeries } from '../kit/charts/series.ts'
import type { World } from './worlds.ts'

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

export function charts(view: RunView, world: World = view.settings?.world ?? 'household'): RunChart[] {
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
  /** A share measured in evaluations of both splits and in training. */
  const shares = (hue: 'policy' | 'reward', leaf: string, training: string): RunSeries[] => [
    { name: 'in distribution', hue, line: 'solid', ...of(`eval/id/${leaf}`) },
    { name: 'out of distribution', hue, line: 'dashed', ...of(`eval/ood/${leaf}`) },
    { name: 'training', hue: 'ink', line: 'dotted', ...of(training) },
  ]
  const ofHousehold = (): RunChart[] => [
    {
      id: 'accuracy',
      title: 'Policy accuracy',
      unit: 'share',
      about:
        'Share of episodes solved: on held-out tasks of trained kinds (in distribution), on rooms or kinds never trained on (out of distribution), and on the training tasks of the iteration.',
      series: shares('policy', 'acc', 'policy/acc'),
    },
    {
      id: 'reward',
      title: 'Reward-model accuracy',
      unit: 'share',
      about:
        'Process: share of votes that agree with the true label of their step. Outcome: how often its mean score of an episode has the sign of the outcome.',
      series: [
        { name: 'process', hue: 'reward', line: 'solid', ...of('reward/process_acc') },
        { name: 'outcome', hue: 'reward', line: 'dashed', ...of('reward/outcome_acc') },
      ],
    },
  ]
  const ofCoding = (): RunChart[] => [
    {
      id: 'code',
      title: 'Code',
      unit: 'share',
      about:
        'Share of programs that pass every hidden test: for held-out problems (in distribution), for problems of kinds never trained on (out of distribution), and for the training problems of the iteration.',
      series: shares('policy', 'acc', 'policy/acc'),
    },
    {
      id: 'ut',
      title: 'UT',
      unit: 'share',
      about:
        'Unit tests: share of written tests that all right programs pass, over problems that have a right program.',
      series: shares('reward', 'ut', 'reward/ut'),
    },
    {
      id: 'detect',
      title: 'Detect',
      unit: 'share',
      about:
        'Share of written tests that all right programs pass and all wrong ones fail, over problems that have both.',
      series: shares('reward', 'detect', 'reward/detect'),
    },
    {
      id: 'truth',
      title: 'True tests',
      unit: 'share',
      about: 'Share of tests written in training that the reference solution passes; the others lie.',
      series: [{ name: 'training', hue: 'reward', line: 'solid', ...of('reward/test_truth') }],
    },
  ]
  const isCoding = world === 'coding'
  return [
    ...(isCoding ? ofCoding() : ofHousehold()),
    {
      id: 'tasks',
      title: isCoding ? 'Rewritten problems' : 'Rewritten tasks',
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
      about: isCoding
        ? 'p₊ is the share of written tests that right programs pass, p₋ the share that wrong ones fail. The reward model carries a signal only if μ is above 1.'
        : 'p₊ is the share of +1 among votes on successful trajectories, p₋ of −1 on failed ones. The reward model carries a signal only if μ is above 1.',
      series: [{ name: 'μ', hue: 'reward', line: 'solid', ...of('theory/mu') }],
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
