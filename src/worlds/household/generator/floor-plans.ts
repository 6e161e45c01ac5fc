/**
 * Floor plans: which receptacles stand where. The official plans are not shipped. Each of the 112 numbers has a plan drawn
 * from the official counts instead, the same in every game.
 */
import { floorPlanNumbers, type Room } from '../corpus/statistics.ts'
import type { GameObject, GameReceptacle } from '../engine/game.ts'

export interface FloorPlan {
  number: number
  room: Room
  /** How often it is played, relative to the other plans of the room and split. */
  weight: number
  /** In listing order. */
  receptacles: readonly GameReceptacle[]
  /** Pairs of receptacle types that overlap ("desk+shelf"), so that both list what is there. Empty in compact plans. */
  overlaps: readonly string[]
  /** Object types that games on this plan may have; games on full plans have all of them. */
  objectTypes: readonly string[]
  /** Lamps and scenery, in the same place in every game. Empty in compact plans. */
  fixtures: readonly Fixture[]
}

export type Fixture = Omit<GameObject, 'noun' | 'number'>

export function floorPlansOf(room: Room): readonly number[] {
  const { first, missing } = floorPlanNumbers[room]
  return Array.from({ length: 30 }, (_, i) => first + i).filter((number) => !missing.includes(number))
}
