/**
 * Counts of what scenes have, room by room: a row for every question ("receptacles cabinet", "start mug") and in it how
 * often each answer came ("13", "coffeemachine+countertop"). Official games, generated games and the committed
 * statistics all have this form, so that they can be compared row by row.
 */
import { rooms, type Room } from '../corpus-statistics.ts'
import { taskTypes } from '../../engine/game.ts'

/** [answer] how often. */
export type RowCounts = ReadonlyMap<string, number>

/** [question] */
export type RoomCounts = ReadonlyMap<string, RowCounts>

export type SceneCounts = Readonly<Record<Room, RoomCounts>>

const none: RowCounts = new Map()

export function row(counts: RoomCounts, question: string): RowCounts {
  return counts.get(question) ?? none
}

export function totalOf(counts: RowCounts): number {
  let total = 0
  for (const count of counts.values()) total += count
  return total
}

/** Share of "yes" among the answers "yes" and "no"; 0 if nobody was asked. */
export function shareOfYes(counts: RoomCounts, question: string): number {
  const answers = row(counts, question)
  return (answers.get('yes') ?? 0) / Math.max(1, totalOf(answers))
}

/** The rows "kind name", by name and in their order. */
export function rowsOfKind(counts: RoomCounts, kind: string): [name: string, counts: RowCounts][] {
  return [...counts].flatMap(([question, answers]) =>
    question.startsWith(`${kind} `) ? [[question.slice(kind.length + 1), answers] as [string, RowCounts]] : [],
  )
}

/** Games in which a type is the one asked for. */
export function timesWanted(counts: RoomCounts, type: string): number {
  return taskTypes.reduce((sum, taskType) => sum + (row(counts, `goal ${taskType} object`).get(type) ?? 0), 0)
}

/** Reads lines such as "receptacles cabinet = 2:64 4:153". */
export function parseRoomCounts(text: string): RoomCounts {
  return new Map(
    text
      .trim()
      .split('\n')
      .map((line) => {
        const [question, answers] = line.split(' = ')
        return [
          question!.trim(),
          new Map(
            answers!.split(' ').map((entry) => {
              const [answer, count] = entry.split(':')
              return [answer!, Number(count)]
            }),
          ),
        ]
      }),
  )
}

/** Writes what `parseRoomCounts` reads; questions and answers are sorted. */
export function formatRoomCounts(counts: RoomCounts): string {
  const byName = ([a]: [string, unknown], [b]: [string, unknown]) => a.localeCompare(b, 'en', { numeric: true })
  return [...counts]
    .sort(byName)
    .map(
      ([question, answers]) =>
        `${question} = ${[...answers]
          .sort(byName)
          .map(([answer, count]) => `${answer}:${count}`)
          .join(' ')}`,
    )
    .join('\n')
}

/** The first few differences between two counts, in words; none if they are equal. */
export function differencesOf(ours: SceneCounts, theirs: SceneCounts): string[] {
  return rooms.flatMap((room) => {
    const [a, b] = [ours, theirs].map((counts) => new Map(formatRoomCounts(counts[room]).split('\n').map(splitLine)))
    return [...new Set([...a!.keys(), ...b!.keys()])].flatMap((question) =>
      a!.get(question) === b!.get(question)
        ? []
        : [`${room}, ${question}: ${a!.get(question) ?? 'nothing'} for ${b!.get(question) ?? 'nothing'}`],
    )
  })
}

function splitLine(line: string): [string, string] {
  const [question, answers] = line.split(' = ')
  return [question!, answers!]
}
