/**
 * Floor plans: which receptacles stand where. The official ones are not shipped; each of the 112 numbers stands for a
 * plan drawn from the published counts of its room, the same in every game (drawn from a hash of the number).
 */
import {
  floorPlanNumbers,
  objectCounts,
  openableShare,
  receptacleCounts,
  roomOf,
  rooms,
  sharedPlaceShare,
  unseenFloorPlans,
  type Room,
} from './corpus-statistics.ts'
import type { GameReceptacle, SceneSize } from './game.ts'
import { chance, integer, seededRandom, shuffled, skewedInteger, type Random } from './random.ts'

export interface FloorPlan {
  number: number
  room: Room
  /** In listing order. */
  receptacles: readonly GameReceptacle[]
  /** Types of object that games on this plan may have. */
  objectTypes: readonly string[]
}

/** In compact plans: what a room has before chance adds more, so that every task of the room can be set in it. */
const compactEssentials: Readonly<Record<Room, readonly string[]>> = {
  kitchen: ['fridge', 'microwave', 'sinkbasin', 'countertop', 'cabinet'],
  livingRoom: ['sofa', 'sidetable', 'drawer'],
  bedroom: ['bed', 'desk', 'drawer'],
  bathroom: ['sinkbasin', 'countertop', 'cabinet', 'toilet'],
}

const compactSize = { min: 6, max: 10 } as const
const compactMost: Readonly<Record<string, number>> = { cabinet: 3, drawer: 3, shelf: 2, countertop: 2 }

export function floorPlansOf(room: Room): readonly number[] {
  const { first, missing } = floorPlanNumbers[room]
  return Array.from({ length: 30 }, (_, i) => first + i).filter((number) => !missing.includes(number))
}

export const allFloorPlans: readonly number[] = rooms.flatMap(floorPlansOf)

const plans = new Map<string, FloorPlan>()

export function floorPlan(number: number, size: SceneSize): FloorPlan {
  const key = `${size} ${number}`
  let plan = plans.get(key)
  if (!plan) {
    plan = drawFloorPlan(number, size)
    plans.set(key, plan)
  }
  return plan
}

function drawFloorPlan(number: number, size: SceneSize): FloorPlan {
  if (!allFloorPlans.includes(number)) throw new RangeError(`There is no floor plan ${number}.`)
  const room = roomOf(number)
  const random = seededRandom('floor plan', number, size)
  const counts = size === 'full' ? fullCounts(room, random) : compactCounts(room, random)
  return {
    number,
    room,
    receptacles: standReceptacles(counts, random, size === 'full'),
    objectTypes: Object.entries(objectCounts[room])
      .filter(
        ([type, { share }]) =>
          chance(random, share / 100) || (type === 'desklamp' && unseenFloorPlans.includes(number)),
      )
      .map(([type]) => type),
  }
}

function fullCounts(room: Room, random: Random): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [type, { share, min, max, mean }] of Object.entries(receptacleCounts[room])) {
    if (chance(random, share / 100)) counts.set(type, skewedInteger(random, min, max, mean))
  }
  return counts
}

function compactCounts(room: Room, random: Random): Map<string, number> {
  const laws = receptacleCounts[room]
  const counts = new Map(compactEssentials[room].map((type) => [type, 1]))
  const size = integer(random, Math.max(compactSize.min, counts.size), compactSize.max)
  let total = counts.size
  const limit = (type: string) => Math.min(laws[type]!.max, compactMost[type] ?? 1)
  for (let round = 0; round < 3; round++) {
    for (const type of shuffled(random, Object.keys(laws))) {
      const count = counts.get(type) ?? 0
      if (total >= size || count >= limit(type) || !chance(random, laws[type]!.share / 100)) continue
      counts.set(type, count + 1)
      total++
    }
  }
  return counts
}

/** Numbers them, decides which of them open, and lets some neighbours share their standing place (not in compact plans). */
function standReceptacles(counts: ReadonlyMap<string, number>, random: Random, areSharing: boolean): GameReceptacle[] {
  const receptacles: GameReceptacle[] = []
  let places = 0
  for (const type of [...counts.keys()].sort()) {
    const count = counts.get(type)!
    for (let number = count; number >= 1; number--) {
      // A pair that shares is two receptacles, so half the share per receptacle.
      const share = areSharing ? (sharedPlaceShare[type] ?? 0) / 200 : 0
      const isShared = number < count && chance(random, share)
      receptacles.push({
        type,
        noun: type,
        number,
        isOpenable: chance(random, (openableShare[type] ?? 0) / 100),
        place: isShared ? places - 1 : places++,
      })
    }
  }
  return receptacles
}
