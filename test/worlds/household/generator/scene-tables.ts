/**
 * Tables for comparing generated games with official ones: their questions, the shares of the answers in official
 * games, and the answers of one game.
 */
import { roomOf, rooms, type Room } from '../../../../src/worlds/household/corpus/statistics.ts'
import type { HouseholdGame } from '../../../../src/worlds/household/engine/game.ts'
import {
  row,
  timesWanted,
  totalOf,
  type RoomCounts,
  type RowCounts,
  type SceneCounts,
} from '../../../../src/worlds/household/generator/full/scene-counts.ts'
import { observationsOf } from './scene-observations.ts'

/** An answer of one game: [question, answer]. */
type Observations = readonly (readonly [question: string, answer: string])[]

/** [question][answer] share. */
type Shares = ReadonlyMap<string, ReadonlyMap<string, number>>

export interface SceneTable {
  name: string
  shares: Shares
  /** The answers of a game; empty if the table is about another room. */
  observe(game: HouseholdGame): Observations
}

/** The questions of a table for a room. */
interface Topic {
  name: string
  asks(question: string): boolean
  /** One line for every room instead of one for all. */
  isByRoom?: boolean
}

const kind = (name: string) => (question: string) => question.startsWith(`${name} `)
const goalPart = (part: string) => (question: string) => question.startsWith('goal ') && question.endsWith(` ${part}`)

const topics: readonly Topic[] = [
  { name: 'Objects asked for, by task', asks: goalPart('object') },
  { name: 'Targets asked for, by task', asks: goalPart('target') },
  { name: 'Objects of the type asked for, by task', asks: goalPart('count') },
  { name: 'Some of them visible', asks: (question) => question === 'visible' },
  { name: 'Phrasing', asks: (question) => question === 'phrasing' },
  { name: 'Receptacles (A3)', asks: kind('receptacles'), isByRoom: true },
  { name: 'Openable receptacles', asks: kind('openable') },
  { name: 'Receptacles that share a place', asks: (question) => question === 'sharing' },
  { name: 'Who shares a place', asks: (question) => question === 'shared' },
  { name: 'Objects', asks: kind('objects'), isByRoom: true },
  { name: 'Where objects start (A4)', asks: kind('start'), isByRoom: true },
  { name: 'Objects in two receptacles', asks: (question) => question === 'doubles' },
  { name: 'Objects in objects', asks: (question) => question === 'insides' },
  { name: 'What lies in what', asks: kind('inside') },
]

export function sceneTables(official: SceneCounts): SceneTable[] {
  return [taskMixTable(official), ...topics.flatMap((topic) => tablesOf(topic, official))]
}

/** Rooms and task types together. */
function taskMixTable(official: SceneCounts): SceneTable {
  const counts = new Map(
    rooms.flatMap((room) =>
      [...row(official[room], 'task')].map(([task, count]) => [`${room} ${task}`, count] as const),
    ),
  )
  return {
    name: 'Task mix by room',
    shares: new Map([['task', sharesOf(counts)]]),
    observe: ({ floorPlan, goal }) => [['task', `${roomOf(floorPlan)} ${goal.taskType}`]],
  }
}

function tablesOf({ name, asks, isByRoom = false }: Topic, official: SceneCounts): SceneTable[] {
  const tableOf = (among: readonly Room[]): SceneTable => {
    const questions = new Map(
      among.flatMap((room) =>
        [...official[room].keys()]
          .filter(asks)
          .map((question) => [`${room} ${question}`, withZeros(official[room], question)] as const),
      ),
    )
    return {
      name: isByRoom ? `${name}, ${among[0]!}` : name,
      shares: new Map([...questions].map(([question, answers]) => [question, sharesOf(answers)])),
      observe(game) {
        const room = roomOf(game.floorPlan)
        if (!among.includes(room)) return []
        const seen = observationsOf(game).filter(([question]) => asks(question))
        const answered = new Set(seen.map(([question]) => question))
        const absent = [...official[room].keys()].filter(
          (question) => asks(question) && !answered.has(question) && hasZeros(question) && !isAbout(question, game),
        )
        return [...seen, ...absent.map((question) => [question, '0'] as const)].map(
          ([question, answer]) => [`${room} ${question}`, answer] as const,
        )
      },
    }
  }
  return isByRoom ? rooms.map((room) => tableOf([room])) : [tableOf(rooms)]
}

const hasZeros = (question: string) => question.startsWith('receptacles ') || question.startsWith('objects ')

/** Objects of the goal's type are counted under the task. */
const isAbout = (question: string, game: HouseholdGame) => question === `objects ${game.goal.object}`

/** The answers to a question, including games that have no such objects. */
function withZeros(counts: RoomCounts, question: string): RowCounts {
  const answers = row(counts, question)
  if (!hasZeros(question)) return answers
  const wanted = question.startsWith('objects ') ? timesWanted(counts, question.slice('objects '.length)) : 0
  const zeros = totalOf(row(counts, 'task')) - wanted - totalOf(answers)
  return zeros === 0 ? answers : new Map([['0', zeros], ...answers])
}

function sharesOf(counts: RowCounts): Map<string, number> {
  const total = totalOf(counts)
  return new Map([...counts].map(([answer, count]) => [answer, count / total]))
}

/**
 * Total variation between the answers of games and given shares, averaged over questions weighted by their answers; and
 * its expected value if the shares are right and the answers independent.
 */
export function totalVariation(
  games: readonly Observations[],
  shares: Shares,
): { distance: number; distanceByChance: number } {
  const counts = new Map<string, Map<string, number>>()
  for (const [question, answer] of games.flat()) {
    const row = counts.get(question) ?? new Map<string, number>()
    counts.set(question, row.set(answer, (row.get(answer) ?? 0) + 1))
  }
  let [answers, sum, sumByChance] = [0, 0, 0]
  for (const [question, seen] of counts) {
    const wanted = shares.get(question) ?? new Map<string, number>()
    const total = totalOf(seen)
    answers += total
    for (const answer of new Set([...seen.keys(), ...wanted.keys()])) {
      const share = wanted.get(answer) ?? 0
      sum += Math.abs((seen.get(answer) ?? 0) - total * share) / 2
      // The mean of |O − E| for a binomial count, from its normal approximation.
      sumByChance += Math.sqrt((2 * total * share * (1 - share)) / Math.PI) / 2
    }
  }
  return { distance: sum / answers, distanceByChance: sumByChance / answers }
}
