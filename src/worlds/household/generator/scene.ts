import type { FloorPlan } from './floor-plans.ts'
import type { GameObject, Goal } from '../engine/game.ts'

/** What a game is made of before it has a name. */
export interface Scene {
  plan: FloorPlan
  goal: Goal
  /** In listing order, numbered. */
  objects: GameObject[]
}
