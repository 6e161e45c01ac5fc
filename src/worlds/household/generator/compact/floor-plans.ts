/**
 * Compact floor plans for small models: six to ten receptacles, each with its own place. Drawn from a hash of the plan's
 * number. Shipped models were trained on them, so they must never change.
 */
import {
  objectCounts,
  openableShare,
  receptacleCounts,
  roomOf,
  unseenFloorPlans,
  type Room,
} from '../../corpus/statistics.ts'
import type { FloorPlan } from '../floor-plans.ts'
import type { GameReceptacle } from '../../engine/game.ts'
import { chance, integer, seededRandom, shuffled, type Random } from '../../../random.ts'

/** Receptacles that every plan of a room has, so that all of the room's tasks are possible. */
const essentials: Readonly<Record<Room, readonly string[]>> = {
  kitchen: ['fridge', 'microwave', 'sinkbasin', 'countertop', 'cabinet'],
  livingRoom: ['sofa', 'sidetable', 'drawer'],
  bedroom: ['bed', 'desk', 'drawer'],
  bathroom: ['sinkbasin', 'countertop', 'cabinet', 'toilet'],
}

const size = { min: 6, max: 10 } as const
const most: Readonly<Record<string, number>> = { cabinet: 3, drawer: 3, shelf: 2, countertop: 2 }

const plans = new Map<number, FloorPlan>()

export function compactFloorPlan(number: number): FloorPlan {
  let plan = plans.get(number)
  if (!plan) plans.set(number, (plan = drawFloorPlan(number, roomOf(number))))
  return plan
}

function drawFloorPlan(number: number, room: Room): FloorPlan {
  const random = seededRandom('floor plan', number, 'compact')
  const counts = drawCounts(room, random)
  return {
    number,
    room,
    weight: 1,
    receptacles: standReceptacles(counts, random),
    objectTypes: Object.entries(objectCounts[room])
      .filter(
        ([type, { share }]) =>
          chance(random, share / 100) || (type === 'desklamp' && unseenFloorPlans.includes(number)),
      )
      .map(([type]) => type),
    overlaps: [],
    fixtures: [],
  }
}

function drawCounts(room: Room, random: Random): Map<string, number> {
  const laws = receptacleCounts[room]
  const counts = new Map(essentials[room].map((type) => [type, 1]))
  const wanted = integer(random, Math.max(size.min, counts.size), size.max)
  let total = counts.size
  const limit = (type: string) => Math.min(laws[type]!.max, most[type] ?? 1)
  for (let round = 0; round < 3; round++) {
    for (const type of shuffled(random, Object.keys(laws))) {
      const count = counts.get(type) ?? 0
      if (total >= wanted || count >= limit(type) || !chance(random, laws[type]!.share / 100)) continue
      counts.set(type, count + 1)
      total++
    }
  }
  return counts
}

/** Numbers receptacles and decides which of them open. */
function standReceptacles(counts: ReadonlyMap<string, number>, random: Random): GameReceptacle[] {
  const receptacles: GameReceptacle[] = []
  for (const type of [...counts.keys()].sort()) {
    const count = counts.get(type)!
    for (let number = count; number >= 1; number--) {
      // Once decided whether a place is shared. The unused draw stays, so that later draws do not change.
      if (number < count) chance(random, 0)
      receptacles.push({
        type,
        noun: type,
        number,
        isOpenable: chance(random, (openableShare[type] ?? 0) / 100),
        place: receptacles.length,
      })
    }
  }
  return receptacles
}
