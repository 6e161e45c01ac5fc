/**
 * Reads the official games, re-encoded as one JSON file that is not part of this project (see the transcript test).
 * Layout: receptacles as [type, openable, place, noun?], objects as [type, receptacle | receptacles | -1, place?].
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { GameObject, GameReceptacle, Goal, HouseholdGame } from '../../../src/worlds/household/engine/game.ts'
import { goalSentence, taskTypes } from '../../../src/worlds/household/engine/game.ts'

type PackedReceptacle = [type: number, isOpenable: 0 | 1, place: number, noun?: string]
type PackedObject = [type: number, receptacles: number | number[], place?: number]

interface PackedGame {
  id: string
  goal: string
  t: [taskType: number, object: string, target: string]
  objs: PackedObject[]
  inside?: [inner: number, outer: number][]
  cool?: number[]
  pick?: number[]
  rename?: Record<string, string>
  rec?: PackedReceptacle[]
  v1loc: number[]
  walk: string[]
}

interface Pack {
  rtypes: string[]
  otypes: string[]
  scenes: Record<string, PackedReceptacle[]>
  games: PackedGame[]
}

export interface OfficialGame {
  game: HouseholdGame
  /** The game's own sentence, without the full stop. */
  goalText: string
  walkthrough: string[]
}

export function readOfficialGames(path: string): Map<string, OfficialGame> {
  const pack = JSON.parse(gunzipSync(readFileSync(path)).toString()) as Pack
  return new Map(pack.games.map((packed) => [packed.id, unpack(pack, packed)]))
}

function unpack(pack: Pack, packed: PackedGame): OfficialGame {
  const floorPlan = /-(\d+)\//.exec(packed.id)![1]!
  const receptacles = (packed.rec ?? pack.scenes[floorPlan]!).map(([type, isOpenable, place, noun]): GameReceptacle => {
    const name = pack.rtypes[type]!
    return { type: name, noun: noun ?? name, number: 0, isOpenable: isOpenable === 1, place }
  })
  const objects = packed.objs.map(([type, where, place], index): GameObject => {
    const name = pack.otypes[type]!
    const receptaclesOf = typeof where === 'number' ? (where < 0 ? [] : [where]) : where
    const inside = packed.inside?.flatMap(([inner, outer]) => (inner === index ? [outer] : [])) ?? []
    return {
      type: name,
      noun: name,
      number: 0,
      in: receptaclesOf,
      ...(place === undefined ? {} : { place }),
      ...(packed.pick?.includes(index) ? { isPickupable: true } : {}),
      ...(inside.length === 0 ? {} : { inside }),
    }
  })
  numberDownwards([...receptacles, ...objects])
  for (const [index, name] of Object.entries(packed.rename ?? {})) {
    const [noun, number] = name.split(' ')
    Object.assign(objects[Number(index)]!, { noun, number: Number(number) })
  }
  const [taskType, object, target] = packed.t
  const goal: Goal = { taskType: taskTypes[taskType]!, object, target }
  const game: HouseholdGame = {
    id: packed.id,
    floorPlan: Number(floorPlan),
    receptacles,
    objects,
    goal,
    phrasing: goalSentence(goal, 1) === packed.goal ? 1 : 0,
    open: [],
    cool: packed.cool ?? [],
    v1Locations: packed.v1loc,
  }
  return { game, goalText: packed.goal, walkthrough: packed.walk }
}

function numberDownwards(entities: { noun: string; number: number }[]): void {
  const left = new Map<string, number>()
  for (const { noun } of entities) left.set(noun, (left.get(noun) ?? 0) + 1)
  for (const entity of entities) {
    entity.number = left.get(entity.noun)!
    left.set(entity.noun, entity.number - 1)
  }
}
