/**
 * What a judge's votes teach: how often it approves of useless steps and rejects useful ones, and the advantages that the policy got,
 * by kind of step. In the first and the last quarter of a run's iterations; runs of one preset are summed over. Balanced accuracy does
 * not tell refused commands, which are many and easy to judge, from useless ones that the world accepts.
 */
import type { LoggedEvent } from '../../method/events.ts'
import { WORLDS } from '../../worlds/index.ts'
import { isRefused, judgedRun, type Quarter } from './judged-rollouts.ts'
import { markdownTable } from './markdown-table.ts'
import { startOf } from './run-start.ts'
import { addTally, inBothQuarters, talliesByArm, type TalliesOfRun } from './tallies.ts'

const KINDS = ['refused', 'repeated', 'done or fail', 'other'] as const
type Kind = (typeof KINDS)[number]

/** `judged` are steps with votes, `approved` those whose votes have a positive sum, and `trained` steps with an advantage. */
type Field = 'steps' | 'judged' | 'approved' | 'advantage' | 'trained'

/** By quarter, kind and true label: "first refused -1". */
export type VotesOfRun = TalliesOfRun<Field>

/** Throws RangeError if the log has no start or no steps with true labels, or if its reward model does not vote on steps. */
export function votesOfRun(events: readonly LoggedEvent[]): VotesOfRun {
  const { arm, rollouts } = judgedRun(events)
  const { world } = startOf(events).settings
  if (WORLDS[world].evidence !== 'votes')
    throw new RangeError(`The reward model of the world ${world} writes tests, so the log has no votes on steps.`)
  const tallies: VotesOfRun['tallies'] = new Map()
  for (const { quarter, steps, votes: judged, policy } of rollouts) {
    const seen = new Set<string>()
    for (const [i, { command, observation, trueLabel }] of steps.entries()) {
      const step = `${command}\n${observation}`
      if (trueLabel) {
        const [votes, advantage] = [judged?.[i], policy[i] ?? null]
        addTally(tallies, keyOf(quarter, kindOf(command, observation, seen.has(step)), trueLabel), {
          steps: 1,
          judged: votes === undefined ? 0 : 1,
          approved: sumOf((votes ?? []).map(({ score }) => score)) > 0 ? 1 : 0,
          advantage: advantage ?? 0,
          trained: advantage === null ? 0 : 1,
        })
      }
      seen.add(step)
    }
  }
  if (tallies.size === 0) throw new RangeError('The log has no steps with true labels.')
  return { arm, tallies }
}

const sumOf = (scores: readonly number[]) => scores.reduce((sum, score) => sum + score, 0)

function kindOf(command: string, observation: string, isRepeated: boolean): Kind {
  if (command === 'done' || command === 'fail') return 'done or fail'
  if (isRefused({ observation })) return 'refused'
  return isRepeated ? 'repeated' : 'other'
}

const keyOf = (quarter: Quarter, kind: Kind, label: number): string => `${quarter} ${kind} ${label}`

/** A Markdown table, a row for each arm and kind of step; each cell has the first and the last quarter. */
export function votesTable(runs: readonly VotesOfRun[]): string {
  const rows = [...talliesByArm(runs)].flatMap(([arm, tallies]) =>
    KINDS.map((kind) => {
      const both = (label: 1 | -1, write: (tally: Record<Field, number>) => string) =>
        inBothQuarters(tallies, (quarter) => keyOf(quarter, kind, label), write)
      const columns = (label: 1 | -1, share: (tally: Record<Field, number>) => number) => [
        both(label, ({ steps }) => String(steps)),
        both(label, (tally) => (tally.judged === 0 ? '–' : `${(100 * share(tally)).toFixed(0)} %`)),
        both(label, ({ advantage, trained }) =>
          trained === 0 ? '–' : (advantage / trained).toFixed(2).replace('-', '−'),
        ),
      ]
      return [
        arm,
        kind,
        ...columns(-1, ({ approved, judged }) => approved / judged),
        ...columns(1, ({ approved, judged }) => 1 - approved / judged),
      ]
    }),
  )
  const head = ['', 'steps', 'useless', 'approved', 'advantage', 'useful', 'rejected', 'advantage']
  return markdownTable([head, ...rows]).join('\n')
}
