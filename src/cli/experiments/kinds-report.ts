/**
 * Which kinds of task runs have learned: accuracy on held-out tasks at the evaluation temperature, before the first iteration and
 * after the last, by the kind that a task's id begins with ("pick_two_obj_and_place-pencil-desk-303/…", in the desktop
 * "rename-file/id-303"). Both splits together; runs of one preset are summed over.
 */
import type { LoggedEvent } from '../../method/events.ts'
import { servesOf } from '../../method/metric-points.ts'
import { WORLDS } from '../../worlds/index.ts'
import { markdownTable } from './markdown-table.ts'
import { addTallies, addTally, type Tallies } from './tallies.ts'

type Kinds = Tallies<'won' | 'played'>

export interface KindsOfRun {
  preset: string
  before: Kinds
  after: Kinds
}

/** Throws RangeError if the log has no start or no evaluation with its episodes, as a log made to be published. */
export function kindsOfRun(events: readonly LoggedEvent[]): KindsOfRun {
  const started = events.find((event) => event.type === 'run-started')
  if (started === undefined) throw new RangeError('The log does not contain the start of a run.')
  const { kindEnds } = WORLDS[started.settings.world]
  /** By iteration. */
  const evaluated = new Map<number, Kinds>()
  let episodes: [kind: string, isWon: boolean][] = []
  for (const event of events) {
    if (event.type === 'episode' && event.split !== 'train') {
      episodes.push([event.taskId.slice(0, event.taskId.indexOf(kindEnds)), event.outcome === 1])
    } else if (event.type === 'evaluation') {
      // An evaluation comes after its episodes.
      if (servesOf(event) !== 'training') {
        const kinds: Kinds = evaluated.get(event.iteration) ?? new Map<string, Record<'won' | 'played', number>>()
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
  return { preset: started.preset, before, after }
}

/** A Markdown table, one row a preset, after all presets' start. */
export function kindsTable(runs: readonly KindsOfRun[]): string {
  const rows = new Map<string, Kinds>()
  for (const { before } of runs) merge(rows, 'before learning', before)
  for (const { preset, after } of runs) merge(rows, preset, after)
  const kinds = [...new Set([...rows.values()].flatMap((row) => [...row.keys()]))].sort()
  const cell = (tally: ReturnType<Kinds['get']>) =>
    tally ? `${((100 * tally.won) / tally.played).toFixed(0)} % of ${tally.played}` : '–'
  return markdownTable([
    ['', ...kinds],
    ...[...rows].map(([name, row]) => [name, ...kinds.map((kind) => cell(row.get(kind)))]),
  ]).join('\n')
}

function merge(rows: Map<string, Kinds>, name: string, kinds: Kinds): void {
  const row: Kinds = rows.get(name) ?? new Map<string, Record<'won' | 'played', number>>()
  rows.set(name, row)
  addTallies(row, kinds)
}
