/**
 * What the splits keep from each other: `train` and `id` share their floor plans but no combination of floor plan, task,
 * object and target; `ood` plays on the four floor plans that neither of them has, with pairs of object and target that
 * neither of them asks for.
 */
import type { Split } from '../../../method/ports.ts'
import { unseenFloorPlans } from '../corpus/statistics.ts'
import type { Goal } from '../engine/game.ts'
import { hashOf } from '../../random.ts'

/** Pairs of object type and target type that are asked for in `ood` games only, about 15 % of all. */
export function isHeldOutPair(object: string, target: string): boolean {
  return hashOf('held-out pair', object, target) % 100 < 15
}

/** Combinations that are asked for in `id` games only, about 12 % of those on training floor plans. */
function isHeldOutCombination(plan: number, { taskType, object, target }: Goal): boolean {
  return hashOf('held-out game', plan, taskType, object, target) % 100 < 12
}

/** Null if no split asks for it. */
export function splitOf(plan: number, goal: Goal): Split | null {
  const isUnseen = unseenFloorPlans.includes(plan)
  if (isUnseen !== isHeldOutPair(goal.object, goal.target)) return null
  return isUnseen ? 'ood' : isHeldOutCombination(plan, goal) ? 'id' : 'train'
}
