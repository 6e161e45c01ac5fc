/** What the charts show: every curve of a run as points over iterations, and each chart in one sentence. */
import type { IterationView, RunView } from '../../runs/fold.ts'
import type { Point } from '../kit/charts/scale.ts'
import { compact, percent } from '../kit/format.ts'
import type { World } from './worlds.ts'

/** Where the values of a curve are in the rows of a kept run (metric-rows.ts). */
export interface SeriesSource {
  metric: string
  /** The sum up to each iteration. */
  isTotal?: boolean
  /** Only iterations that have this one as well. */
  onlyWith?: string
}

export interface Series {
  name: string
  hue: 'policy' | 'reward' | 'environment' | 'ink'
  /** Curves of one chart differ in it, for hues alone do not tell them apart for everybody. */
  line: 'solid' | 'dashed' | 'dotted'
  points: Point[]
  /** Only where rows have it. */
  source?: SeriesSource
}

export interface Chart {
  id: string
  title: string
  /** One sentence on what is drawn and where it is defined. */
  about: string
  unit: 'share' | 'count' | 'number'
  series: Series[]
  /** Reference line. */
  reference?: { value: number; name: string }
}

export function charts(view: RunView, world: World = view.settings?.setting ?? 'household'): Chart[] {
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
  /** Only iterations in which the model learned: a frozen one has no loss. */
  const learned = (leaf: 'pg_loss' | 'ppo_kl'): Series[] => [
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
  const shares = (hue: 'policy' | 'reward', leaf: string, training: string): Series[] => [
    { name: 'in distribution', hue, line: 'solid', ...of(`eval/id/${leaf}`) },
    { name: 'out of distribution', hue, line: 'dashed', ...of(`eval/ood/${leaf}`) },
    { name: 'training', hue: 'ink', line: 'dotted', ...of(training) },
  ]
  const ofHousehold = (): Chart[] => [
    {
      id: 'accuracy',
      title: 'Policy accuracy',
      unit: 'share',
      about:
        'Share of episodes solved: on held-out tasks of known kinds (in distribution), in rooms or of kinds never trained on (out of distribution), and on the training tasks of the iteration.',
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
  const ofCoding = (): Chart[] => [
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
      about: 'Share of the tests written in training that the reference solution passes: the others lie.',
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
      about: 'Rewrites so far: how many the author proposed and how many the acceptance rule let in.',
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
        ? 'p₊ is the share of written tests that right programs pass, p₋ the share that wrong ones fail. The reward model carries a signal only where μ is above 1.'
        : 'p₊ is the share of +1 among votes on successful trajectories, p₋ of −1 on failed ones. The reward model carries a signal only where μ is above 1.',
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
      about: 'ppo_kl: how far the update has moved each model from the weights that its data was sampled with.',
      series: learned('ppo_kl'),
    },
    {
      id: 'loss',
      title: 'Policy-gradient loss',
      unit: 'number',
      about: 'pg_loss: the clipped surrogate. It need not fall; look for steps and drift.',
      series: learned('pg_loss'),
    },
  ]
}

export function writeValue(chart: Chart, value: number): string {
  return chart.unit === 'share'
    ? percent(value, 1)
    : chart.unit === 'count'
      ? compact(value)
      : compact(Number(value.toPrecision(3)))
}

/** The chart in words: where each curve began, where it is, over which iterations. */
export function summarise(chart: Chart): string {
  const known = chart.series.filter((series) => series.points.length > 0)
  if (known.length === 0) return 'No values yet.'
  const sentences = known.map((series) => {
    const first = series.points[0]!
    const last = series.points[series.points.length - 1]!
    if (series.points.length === 1) return `${series.name} ${writeValue(chart, last.y)} at iteration ${last.x}`
    return `${series.name} ${writeValue(chart, first.y)} → ${writeValue(chart, last.y)} (iterations ${first.x} to ${last.x})`
  })
  return `${sentences.join('; ')}.`
}

export interface TableRow {
  /** Iteration, or whatever the chart is over. */
  at: number
  /** One for each curve; null where it has none. */
  values: (number | null)[]
}

/** All values of curves, a row for each place on the axis that one of them has, in order. */
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

/** At most `limit` of them, spread evenly, the first and the last among them. */
export function spread<T>(rows: readonly T[], limit: number): readonly T[] {
  if (rows.length <= limit) return rows
  return Array.from({ length: limit }, (_, i) => rows[Math.round((i * (rows.length - 1)) / (limit - 1))]!)
}

/** The value of a series at an iteration, or the last one before it. */
export function valueAt(series: Series, iteration: number): number | null {
  let low = 0
  let high = series.points.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (series.points[middle]!.x <= iteration) low = middle + 1
    else high = middle
  }
  return series.points[low - 1]?.y ?? null
}
