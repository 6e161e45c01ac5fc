/** Three ways in which the loop breaks, each with a recorded example, and the exercise or view that shows more of it. */
import type { RunView } from '../../../runs/fold.ts'
import { percent } from '../../kit/format.ts'
import type { Chart } from '../../kit/charts/series.ts'
import { DRIFTED_MIX, DRIFTED_WORDS, taskDrift } from '../../run/task-drift.ts'
import { RECORDINGS } from '../../state/recordings.ts'
import { seriesPoints } from '../../run/series-points.ts'

export const FAILURES = [
  { id: 'hacking', title: 'Reward hacking', link: `#loop&run=${RECORDINGS.pleased}`, more: 'Watch an alarm fire' },
  {
    id: 'agreement',
    title: 'A judge that agrees with itself',
    link: '#lesson=collapse',
    more: 'See one collapse the other way, to −1',
  },
  { id: 'drift', title: 'Drift', link: '#tasks', more: 'See the drift of the pool under Tasks' },
] as const
export type FailureId = (typeof FAILURES)[number]['id']

const GOOD = 'judge/good_acc'
const BAD = 'judge/bad_acc'

/** How often the judge of a run is right on fixed steps that nobody trains on. */
export function judgeChart(run: RunView): Chart {
  return {
    id: 'story-judge',
    title: 'Right votes of the judge',
    about: 'The share of right votes on fixed steps that nobody trains on.',
    unit: 'share',
    series: [
      { name: 'good steps', hue: 'reward', line: 'solid', points: seriesPoints(run, GOOD) },
      { name: 'bad steps', hue: 'reward', line: 'dashed', points: seriesPoints(run, BAD) },
    ],
  }
}

/** What the judge of a run that weighs votes by λ has come to, in words; null if it was not measured. */
export function judgeSentence(run: RunView): string | null {
  const [good, bad] = [GOOD, BAD].map((name) => run.series(name).values)
  if (!good?.length || !bad?.length || run.settings === null) return null
  const change = (values: readonly number[]) => `from ${percent(values[0])} to ${percent(values.at(-1))}`
  const approvesMore = good.at(-1)! > good[0]! && bad.at(-1)! < bad[0]!
  return `R · S also pays a vote for agreeing with the other votes. At λ = ${run.settings.lambda}, that outweighs the outcome. In this run, the judge’s right votes on good steps go ${change(good)}, on bad steps ${change(bad)}${approvesMore ? ': it approves more and more' : ''}.`
}

export interface DriftBar {
  label: string
  value: number
  /** Where the alarm rings; null without one. */
  alarm: number | null
}

/** How far the pool of a run has moved from its original tasks. */
export function driftBars({ tasks }: Pick<RunView, 'tasks'>): DriftBar[] {
  const { active, rewritten, words, mix } = taskDrift(tasks)
  return [
    { label: 'Tasks that are rewritten', value: active === 0 ? 0 : rewritten / active, alarm: null },
    { label: 'Their words that changed', value: words, alarm: DRIFTED_WORDS },
    { label: 'Kinds that moved', value: mix, alarm: DRIFTED_MIX },
  ]
}

/** The pool under Tasks. Without settings, a link means the default world's recorded run, which is the story's. */
export function driftLink(run: RunView): string {
  return `#tasks&at=${run.iterations.length}`
}

export function driftSentence(run: RunView): string {
  const after = run.iterations.length
  const isQuiet = driftBars(run).every(({ value, alarm }) => alarm === null || value <= alarm)
  return `When tasks change, a rising accuracy on them may mean easier tasks. After ${after} iterations, this run’s pool ${isQuiet ? 'stays below both alarms' : 'has set off an alarm'}. Held-out games never change, so they decide.`
}
