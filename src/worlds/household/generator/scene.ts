import type { FloorPlan } from './floor-plans.ts'
import type { GameObject, Goal } from '../engine/game.ts'

/** The random parts of a generated game. */
export interface Scene {
  plan: FloorPlan
  goal: Goal
  /** In listing order, numbered. */
  objects: GameObject[]
}
