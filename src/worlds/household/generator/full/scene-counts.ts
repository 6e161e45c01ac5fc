/**
 * Counts of what scenes have, room by room: a row for every question ("receptacles cabinet", "start mug") and in it how
 * often each answer came ("13", "coffeemachine+countertop").
 */
import type { Room } from '../../corpus/statistics.ts'
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
