/** What a plan is for: the goal of a game, or a part of the way there. */
import { treatmentOf } from '../engine/game.ts'
import type { World } from '../engine/rooms.ts'
import type { Treatment } from '../engine/vocabulary.ts'

/** What a plan has to achieve. `goalAim` returns the game's own goal. */
export type Aim =
  | { kind: 'hold'; objects: readonly number[] }
  | {
      kind: 'deliver'
      objects: readonly number[]
      receptacles: readonly number[]
      treatment: Treatment | null
      appliances: readonly number[]
    }
  | { kind: 'deliver-two'; objects: readonly number[]; receptacles: readonly number[] }
  | { kind: 'light'; objects: readonly number[]; lamps: readonly number[] }

export function goalAim(world: World): Aim {
  const { taskType } = world.game.goal
  const objects = world.goalObjects
  const receptacles = world.goalReceptacles
  if (taskType === 'look_at_obj_in_light') return { kind: 'light', objects, lamps: world.goalLamps }
  if (taskType === 'pick_two_obj_and_place') return { kind: 'deliver-two', objects, receptacles }
  return { kind: 'deliver', objects, receptacles, treatment: treatmentOf(taskType), appliances: world.appliances }
}
