/**
 * Floor plans: which receptacles stand where. The official ones are not shipped; each of the 112 numbers stands for a
 * plan drawn after the official counts, the same in every game.
 */
import { drawCompactFloorPlan } from './compact/floor-plans.ts'
import { floorPlanNumbers, roomOf, rooms, type Room } from './corpus-statistics.ts'
import { drawFullFloorPlans } from './full/floor-plans.ts'
import type { GameObject, GameReceptacle, SceneSize } from '../engine/game.ts'

export interface FloorPlan {
  number: number
  room: Room
  /** How often it is played, in proportion to the other plans of the room and split. */
  weight: number
  /** In listing order. */
  receptacles: readonly GameReceptacle[]
  /** Receptacle types of which two overlap ("desk+shelf"), so that both list what lies there. None in compact plans. */
  overlaps: readonly string[]
  /** Types of object that games on this plan may have; in full plans, all of them do. */
  objectTypes: readonly string[]
  /** What stands in the same place in every game: lamps and scenery. None in compact plans. */
  fixtures: readonly Fixture[]
}

export type Fixture = Omit<GameObject, 'noun' | 'number'>

export function floorPlansOf(room: Room): readonly number[] {
  const { first, missing } = floorPlanNumbers[room]
  return Array.from({ length: 30 }, (_, i) => first + i).filter((number) => !missing.includes(number))
}

export const allFloorPlans: readonly number[] = rooms.flatMap(floorPlansOf)

const plans = new Map<string, FloorPlan>()

export function floorPlan(number: number, size: SceneSize): FloorPlan {
  const key = `${size} ${number}`
  const known = plans.get(key)
  if (known) return known
  if (!allFloorPlans.includes(number)) throw new RangeError(`There is no floor plan ${number}.`)
  const room = roomOf(number)
  // Full plans of a room share its counts out among them, so that one cannot be drawn without the others.
  const drawn = size === 'full' ? drawFullFloorPlans(room, floorPlansOf(room)) : [drawCompactFloorPlan(number, room)]
  for (const plan of drawn) plans.set(`${size} ${plan.number}`, plan)
  return plans.get(key)!
}
