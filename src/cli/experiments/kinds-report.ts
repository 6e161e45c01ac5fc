/**
 * Which kinds of task runs have learned: accuracy on held-out tasks at the evaluation temperature, before the first iteration and
 * after the last, by the kind that a task's id begins with ("pick_two_obj_and_place-pencil-desk-303/…", in the desktop
 * "rename-file/id-303"). Both splits together; runs of one arm are summed over.
 */
import type { LoggedEvent } from '../../method/events.ts'
import { servesOf } from '../../method/metric-points.ts'
import { WORLDS } from '../../worlds/index.ts'
import { markdownTable } from './markdown-table.ts'
import { armOf, startOf } from './run-start.ts'
import { addTally, talliesByArm } from './tallies.ts'

type Tally = Record<'won' | 'played', number>
type Kinds = Map<string, Tally>

export interface KindsOfRun {
  arm: string
  before: Kinds
  after: Kinds
}

/** Throws RangeError if the log has no start or no evaluation with its episodes, as a log made to be published. */
export function kindsOfRun(events: readonly LoggedEvent[]): KindsOfRun {
  const { kindEnds } = WORLDS[startOf(events).settings.world]
  /** By iteration. */
  const evaluated = new Map<number, Kinds>()
  let episodes: [kind: string, isWon: boolean][] = []
  for (const event of events) {
    if (event.type === 'episode' && event.split !== 'train') {
      episodes.push([event.taskId.slice(0, event.taskId.indexOf(kindEnds)), event.outcome === 1])
    } else if (event.type === 'evaluation') {
      // An evaluation comes after its episodes.
      if (servesOf(event) !== 'training') {
        const kinds: Kinds = evaluated.get(event.iteration) ?? new Map<string, Tally>()
        evaluated.set(event.iteration, kinds)
        for (const [kind, isWon] of episodes) addTally(kinds, kind, { won: isWon ? 1 : 0, played: 1 })
      }
      episodes = []
    }
  }
  const [before, after] = [[...evaluated.values()].at(0), [...evaluated.values()].at(-1)]
  if (!before || !after || before.size === 0 || after.size === 0) {
    throw new RangeError('The log has no evaluation with its episodes.')
  }
  return { arm: armOf(events), before, after }
}

/** A Markdown table, one row an arm, after the start of all. */
export function kindsTable(runs: readonly KindsOfRun[]): string {
  const rows = talliesByArm([
    ...runs.map(({ before }) => ({ arm: 'before learning', tallies: before })),
    ...runs.map(({ arm, after }) => ({ arm, tallies: after })),
  ])
  const kinds = [...new Set([...rows.values()].flatMap((row) => [...row.keys()]))].sort()
  const cell = (tally: Tally | undefined) =>
    tally ? `${((100 * tally.won) / tally.played).toFixed(0)} % of ${tally.played}` : '–'
  return markdownTable([
    ['', ...kinds],
    ...[...rows].map(([name, row]) => [name, ...kinds.map((kind) => cell(row.get(kind)))]),
  ]).join('\n')
}
