/**
 * What consistency feedback teaches a judge about each kind of step: how many of the votes that train it are on steps of solved
 * rollouts, and which way they push (../../method/step-judging/pushes.ts). In the first and the last quarter of a run's iterations;
 * runs of one preset are summed over. If all kinds together are pushed towards +1, the judge becomes lenient.
 */
import type { LoggedEvent } from '../../method/events.ts'
import { stepPush } from '../../method/step-judging/pushes.ts'
import { isRefused, judgedRun, QUARTERS, type Quarter } from './judged-rollouts.ts'
import { markdownTable } from './markdown-table.ts'

const KINDS = ['useful', 'useless, accepted', 'useless, refused', 'all'] as const
type Kind = (typeof KINDS)[number]

interface Tally {
  votes: number
  /** Votes on steps of solved rollouts. */
  solved: number
  push: number
}

/** By quarter and kind: "first useful". */
type Tallies = Map<string, Tally>

export interface PushesOfRun {
  preset: string
  tallies: Tallies
}

/** Throws RangeError if the log has no start, or no votes that train on steps with true labels. */
export function pushesOfRun(events: readonly LoggedEvent[]): PushesOfRun {
  const { preset, rollouts } = judgedRun(events)
  const tallies: Tallies = new Map()
  for (const { quarter, steps, outcome, scores, reward } of rollouts) {
    for (const [i, step] of steps.entries()) {
      const advantages = reward[i] ?? []
      const votes = advantages.filter((advantage) => advantage !== null).length
      if (scores === null || !step.trueLabel || votes === 0) continue
      const kind = step.trueLabel === 1 ? 'useful' : isRefused(step) ? 'useless, refused' : 'useless, accepted'
      const more = { votes, solved: outcome === 1 ? votes : 0, push: stepPush(scores[i] ?? [], advantages) }
      add(tallies, keyOf(quarter, kind), more)
      add(tallies, keyOf(quarter, 'all'), more)
    }
  }
  if (tallies.size === 0) throw new RangeError('The log has no votes that train on steps with true labels.')
  return { preset, tallies }
}

const keyOf = (quarter: Quarter, kind: Kind): string => `${quarter} ${kind}`

function add(tallies: Tallies, key: string, { votes, solved, push }: Tally): void {
  const tally = tallies.get(key) ?? { votes: 0, solved: 0, push: 0 }
  tallies.set(key, { votes: tally.votes + votes, solved: tally.solved + solved, push: tally.push + push })
}

/** A Markdown table, a row for each preset and kind of step; each cell has the first and the last quarter. */
export function pushesTable(runs: readonly PushesOfRun[]): string {
  const presets = new Map<string, Tallies>()
  for (const { preset, tallies } of runs) {
    const sum = presets.get(preset) ?? new Map<string, Tally>()
    presets.set(preset, sum)
    for (const [key, tally] of tallies) add(sum, key, tally)
  }
  const rows = [...presets].flatMap(([preset, tallies]) =>
    KINDS.map((kind) => {
      const both = (write: (tally: Tally) => string) =>
        QUARTERS.map((quarter) => tallies.get(keyOf(quarter, kind)))
          .map((tally) => (tally ? write(tally) : '–'))
          .join(' → ')
      return [
        preset,
        kind,
        both(({ votes }) => String(votes)),
        both(({ solved, votes }) => `${((100 * solved) / votes).toFixed(0)} %`),
        both(({ push, votes }) => thousandths(push / votes)),
      ]
    }),
  )
  return markdownTable([['', 'steps', 'votes that train', 'in solved rollouts', 'mean push'], ...rows]).join('\n')
}

function thousandths(value: number): string {
  const text = value.toFixed(3)
  return text === '-0.000' ? '0.000' : text.replace('-', '−')
}
