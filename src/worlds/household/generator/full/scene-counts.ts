/**
 * Statistics of scenes, room by room: one row per question ("receptacles cabinet", "start mug") with the count of each answer
 * ("13", "coffeemachine+countertop").
 */
import type { Room } from '../../corpus/statistics.ts'
import { taskTypes } from '../../engine/game.ts'

/** [answer] count. */
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

/** Share of "yes" among the answers "yes" and "no"; 0 if there are none. */
export function shareOfYes(counts: RoomCounts, question: string): number {
  const answers = row(counts, question)
  return (answers.get('yes') ?? 0) / Math.max(1, totalOf(answers))
}

/** The rows named "kind name", in order. */
export function rowsOfKind(counts: RoomCounts, kind: string): [name: string, counts: RowCounts][] {
  return [...counts].flatMap(([question, answers]) =>
    question.startsWith(`${kind} `) ? [[question.slice(kind.length + 1), answers] as [string, RowCounts]] : [],
  )
}

/** Number of games with a type as the goal's object. */
export function timesWanted(counts: RoomCounts, type: string): number {
  return taskTypes.reduce((sum, taskType) => sum + (row(counts, `goal ${taskType} object`).get(type) ?? 0), 0)
}

/** Reads rows such as "receptacles cabinet": "2:64 4:153". */
export function parseRoomCounts(rows: Readonly<Record<string, string>>): RoomCounts {
  return new Map(Object.entries(rows).map(([question, answers]) => [question, parseRow(answers)]))
}

function parseRow(answers: string): RowCounts {
  return new Map(
    answers.split(' ').map((entry) => {
      const [answer, count] = entry.split(':')
      return [answer!, Number(count)]
    }),
  )
}
