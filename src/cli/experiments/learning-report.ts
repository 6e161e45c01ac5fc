/**
 * Reports what runs have learned: evaluations on held-out tasks, at the evaluation temperature, before learning and the mean of
 * the last three.
 *
 *     standard error = √(Σ p_k (1 - p_k) / n_k) / K        of K evaluations with shares p_k of n_k
 *
 * This assumes n_k independent draws. Rollouts of one task are not independent, so it is a lower bound.
 */
import type { EvaluationFinished, LoggedEvent } from '../../method/events.ts'
import { judgeMeasures } from '../../method/judge-evaluation/measures.ts'
import { servesOf } from '../../method/metric-points.ts'
import { pairedGain, type PairedGain } from '../../results/paired-gain.ts'
import { wilsonInterval } from '../../results/wilson-interval.ts'
import { HeldOutOutcomes } from '../../runs/held-out-outcomes.ts'
import { mean } from '../../results/moments.ts'

/** Evaluations in the mean "after". */
const LAST = 3
const SPLITS = ['id', 'ood'] as const
type Split = (typeof SPLITS)[number]

/** A share, and the number of episodes or tests that it was measured on. */
interface Share {
  share: number
  of: number
}

export interface Mean {
  value: number
  standardError: number
  evaluations: number
}

/** Null if nothing was measured: no evaluation, or no task on which tests could be judged. */
export interface Change {
  before: Mean | null
  after: Mean | null
}

/** Seconds after Run was pressed at which so many iterations were finished. */
export interface Progress {
  iterations: number
  seconds: number
}

export interface LearningResult {
  seed: number
  iterations: number
  firstIterationSeconds: number
  /** The first evaluation in distribution whose accuracy is above the start's 95 % interval; null without one. */
  gain: { iteration: number; seconds: number; before: number; after: number } | null
  /** The first evaluation whose gain on the same held-out tasks, of both splits, has an interval above 0; null without one. */
  pairedGain: (PairedGain & { iteration: number; seconds: number }) | null
  /** `Code`, `UT` and `Detect` for programs, else `accuracy`; each for both splits. */
  metrics: Record<string, Record<Split, Change>>
  /** Means over the first five iterations and over the last five. */
  reward: Record<'process' | 'outcome', [number, number]> | null
  /** On fixed trajectories (method/judge-evaluation): before learning, and the mean of the last three. Empty in older runs. */
  judge: Record<string, [before: number, after: number]>
  /** Accepted rewrites. */
  accepted: number
}

/** Reads of a run's events those that `isReported` keeps. */
export function summarise(seed: number, events: readonly LoggedEvent[], progress: readonly Progress[]): LearningResult {
  const evaluations = mainEvaluations(events.filter((event) => event.type === 'evaluation'))
  const series = (name: string) =>
    events.flatMap((event) => (event.type === 'iteration-finished' ? (event.metrics[name] ?? []) : []))
  const ends = (values: readonly number[]): [number, number] => [mean(values.slice(0, 5)), mean(values.slice(-5))]
  const [process, outcome] = [series('reward/process_acc'), series('reward/outcome_acc')]
  return {
    seed,
    iterations: events.filter((event) => event.type === 'iteration-finished').length,
    firstIterationSeconds: progress[0]?.seconds ?? NaN,
    gain: firstGain(evaluations, progress),
    pairedGain: firstPairedGain(events, progress),
    metrics: changes(evaluations),
    reward: process.length === 0 ? null : { process: ends(process), outcome: ends(outcome) },
    judge: judgeChanges(events),
    accepted: series('env/accepted').reduce((sum, value) => sum + value, 0),
  }
}

/** One of several evaluations may be above the start's interval by chance. Null also where its time is not known. */
function firstGain(
  evaluations: readonly (EvaluationFinished & { iteration: number })[],
  progress: readonly Progress[],
): LearningResult['gain'] {
  const [before, ...later] = evaluations.filter(({ split }) => split === 'id')
  if (before === undefined) return null
  const [, upperEnd] = wilsonInterval(before.acc * before.episodes, before.episodes) ?? [0, 1]
  const after = later.find(({ acc }) => acc > upperEnd)
  const reached = progress.find(({ iterations }) => after !== undefined && iterations >= after.iteration)
  if (after === undefined || reached === undefined) return null
  return { iteration: after.iteration, seconds: reached.seconds, before: before.acc, after: after.acc }
}

/** Null where the log has no episodes, or the time is not known. */
function firstPairedGain(events: readonly LoggedEvent[], progress: readonly Progress[]): LearningResult['pairedGain'] {
  const outcomes = new HeldOutOutcomes()
  let iteration = 0
  const reached = () => {
    const { change } = outcomes
    const gain = change && pairedGain(change.better, change.worse, change.tasks)
    const seconds = progress.find(({ iterations }) => iterations >= iteration)?.seconds
    return change?.iteration === iteration && gain && gain.low > 0 && seconds !== undefined
      ? { ...gain, iteration, seconds }
      : null
  }
  for (const event of events) {
    if (event.iteration > iteration) {
      const found = reached()
      if (found) return found
      iteration = event.iteration
    }
    outcomes.take(event)
  }
  return reached()
}

/** Whether a report reads an event. */
export function isReported(event: LoggedEvent): boolean {
  const { type } = event
  if (type === 'episode') return event.split !== 'train'
  return ['run-started', 'iteration-started', 'evaluation', 'judge-evaluation', 'iteration-finished'].includes(type)
}

function judgeChanges(events: readonly LoggedEvent[]): LearningResult['judge'] {
  const measured = events.flatMap((event) => (event.type === 'judge-evaluation' ? [judgeMeasures(event)] : []))
  const names = Object.keys(measured[0] ?? {})
  return Object.fromEntries(
    names.flatMap((name): [string, [number, number]][] => {
      const values = measured.flatMap((measures) => measures[name] ?? [])
      return values.length < 2 ? [] : [[name, [values[0]!, mean(values.slice(1).slice(-LAST))]]]
    }),
  )
}

/** Those at the evaluation temperature; older runs have only those at the training temperature. */
function mainEvaluations<Evaluation extends EvaluationFinished>(
  evaluations: readonly Evaluation[],
): readonly Evaluation[] {
  const main = evaluations.filter((evaluation) => servesOf(evaluation) !== 'training')
  return main.length > 0 ? main : evaluations
}

function changes(evaluations: readonly EvaluationFinished[]): LearningResult['metrics'] {
  const accuracy = ({ acc, episodes }: EvaluationFinished) => ({ share: acc, of: episodes })
  const isOfTests = evaluations.some(({ tests }) => tests !== undefined)
  const measures: Record<string, (evaluation: EvaluationFinished) => Share | null> = isOfTests
    ? {
        Code: accuracy,
        UT: ({ tests }) => known(tests?.ut, tests?.utTests),
        Detect: ({ tests }) => known(tests?.detect, tests?.detectTests),
      }
    : { accuracy }
  const changeOf = (split: Split, measure: (evaluation: EvaluationFinished) => Share | null): Change => {
    const [first, ...later] = evaluations.filter((evaluation) => evaluation.split === split)
    return {
      before: meanOf(first === undefined ? [] : [measure(first)]),
      after: meanOf(later.slice(-LAST).map(measure)),
    }
  }
  return Object.fromEntries(
    Object.entries(measures).map(([name, measure]) => [
      name,
      { id: changeOf('id', measure), ood: changeOf('ood', measure) },
    ]),
  )
}

function known(share: number | null | undefined, of: number | undefined): Share | null {
  return typeof share === 'number' && of !== undefined && of > 0 ? { share, of } : null
}

function meanOf(shares: readonly (Share | null)[]): Mean | null {
  const measured = shares.filter((share) => share !== null)
  if (measured.length === 0) return null
  const variance = measured.reduce((sum, { share, of }) => sum + (share * (1 - share)) / of, 0)
  return {
    value: mean(measured.map(({ share }) => share)),
    standardError: Math.sqrt(variance) / measured.length,
    evaluations: measured.length,
  }
}

/** A row for each seed, metric and split, in columns of one width. */
export function learningTable(results: readonly LearningResult[]): string {
  const rows = results.flatMap(({ seed, iterations, metrics }) =>
    Object.entries(metrics).flatMap(([name, splits]) =>
      SPLITS.map((split) => {
        const { before, after } = splits[split]
        const change = before === null || after === null ? '–' : points(after.value - before.value)
        const count = String(after?.evaluations ?? 0)
        return [String(seed), String(iterations), name, split, shown(before), shown(after), count, change]
      }),
    ),
  )
  const table = [['seed', 'iterations', 'metric', 'split', 'before', 'after', 'evaluations', 'points'], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table
    .map(
      (row) =>
        row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd() + '\n',
    )
    .join('')
}

/** When each seed was first above the interval of its start. */
export function gainLines(results: readonly LearningResult[]): string {
  const percent = (share: number) => `${(100 * share).toFixed(0)} %`
  return results
    .map(({ seed, gain, pairedGain: paired }) => {
      const above =
        gain === null
          ? `seed ${seed}: no evaluation in distribution was above the start's 95 % interval.\n`
          : `seed ${seed}: above the start's 95 % interval after ${gain.seconds.toFixed(0)} s, at iteration ${gain.iteration} ` +
            `(${percent(gain.before)} to ${percent(gain.after)}, in distribution).\n`
      const better =
        paired === null
          ? ''
          : `seed ${seed}: better at the same ${paired.tasks} held-out tasks after ${paired.seconds.toFixed(0)} s, at iteration ` +
            `${paired.iteration} (${points(paired.gain)} points, 95 %: ${points(paired.low)} to ${points(paired.high)}).\n`
      return above + better
    })
    .join('')
}

/** A line for each metric and split: how many seeds rose, of those measured both before and after. */
export function learningVerdicts(results: readonly LearningResult[]): string {
  const names = Object.keys(results[0]?.metrics ?? {})
  return names
    .flatMap((name) => SPLITS.map((split) => verdict(name, split, results)))
    .map((line) => `${line}\n`)
    .join('')
}

function verdict(name: string, split: Split, results: readonly LearningResult[]): string {
  const measured = results.flatMap(({ metrics }) => {
    const { before, after } = metrics[name]?.[split] ?? { before: null, after: null }
    if (before === null || after === null) return []
    const error = Math.hypot(before.standardError, after.standardError)
    return [{ gain: after.value - before.value, error }]
  })
  if (measured.length === 0) return `${name} ${split}: nothing was measured both before and after.`
  const rose = measured.filter(({ gain }) => gain > 0).length
  const clearly = measured.filter(({ gain, error }) => gain > 2 * error).length
  const unknown = results.length - measured.length
  return (
    `${name} ${split}: ${rose} of ${measured.length} seeds rose, ${clearly} by more than two standard errors ` +
    `(${measured.map(({ gain }) => points(gain)).join(', ')} points).${unknown > 0 ? ` Of ${unknown} it is not known.` : ''}`
  )
}

/** "+3.1" for a share that grew by 0.031. */
export function points(share: number): string {
  const value = 100 * share
  return `${value >= 0 ? '+' : ''}${value.toFixed(1)}`
}

function shown(value: Mean | null): string {
  return value === null ? '–' : `${value.value.toFixed(3)} ± ${value.standardError.toFixed(3)}`
}
