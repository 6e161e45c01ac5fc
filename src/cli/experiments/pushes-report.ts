/**
 * What consistency feedback teaches a judge about each kind of step: how many of the votes that train it are on steps of solved
 * rollouts, and which way they push (../../method/step-judging/pushes.ts). In the first and the last quarter of a run's iterations;
 * runs of one arm are summed over. If all kinds together are pushed towards +1, the judge becomes lenient.
 */
import type { LoggedEvent } from '../../method/events.ts'
import { stepPush } from '../../method/step-judging/pushes.ts'
import { writtenScore } from '../../method/vote-flips.ts'
import { isRefused, judgedRun, type Quarter } from './judged-rollouts.ts'
import { markdownTable } from './markdown-table.ts'
import { addTally, inBothQuarters, talliesByArm, type TalliesOfRun } from './tallies.ts'

const KINDS = ['useful', 'useless, accepted', 'useless, refused', 'all'] as const
type Kind = (typeof KINDS)[number]

/** `solved` are votes on steps of solved rollouts. */
type Field = 'votes' | 'solved' | 'push'

/** By quarter and kind: "first useful". */
export type PushesOfRun = TalliesOfRun<Field>

/** Throws RangeError if the log has no start, or no votes that train on steps with true labels. */
export function pushesOfRun(events: readonly LoggedEvent[]): PushesOfRun {
  const { arm, rollouts } = judgedRun(events)
  const tallies: PushesOfRun['tallies'] = new Map()
  for (const { quarter, steps, outcome, votes, reward } of rollouts) {
    for (const [i, step] of steps.entries()) {
      const advantages = reward[i] ?? []
      const training = advantages.filter((advantage) => advantage !== null).length
      if (votes === null || !step.trueLabel || training === 0) continue
      const kind = step.trueLabel === 1 ? 'useful' : isRefused(step) ? 'useless, refused' : 'useless, accepted'
      const push = stepPush((votes[i] ?? []).map(writtenScore), advantages)
      const more = { votes: training, solved: outcome === 1 ? training : 0, push }
      addTally(tallies, keyOf(quarter, kind), more)
      addTally(tallies, keyOf(quarter, 'all'), more)
    }
  }
  if (tallies.size === 0) throw new RangeError('The log has no votes that train on steps with true labels.')
  return { arm, tallies }
}

const keyOf = (quarter: Quarter, kind: Kind): string => `${quarter} ${kind}`

/** A Markdown table, a row for each arm and kind of step; each cell has the first and the last quarter. */
export function pushesTable(runs: readonly PushesOfRun[]): string {
  const rows = [...talliesByArm(runs)].flatMap(([arm, tallies]) =>
    KINDS.map((kind) => {
      const both = (write: (tally: Record<Field, number>) => string) =>
        inBothQuarters(tallies, (quarter) => keyOf(quarter, kind), write)
      return [
        arm,
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
