/**
 * Keeps the splits apart: `train` and `id` share floor plans but no combination of floor plan, task, object and target. `ood`
 * has four floor plans, and pairs of object and target, that the others do not have.
 */
import type { Split } from '../../../method/ports.ts'
import { unseenFloorPlans } from '../corpus/statistics.ts'
import type { Goal } from '../engine/game.ts'
import { hashOf } from '../../random.ts'

/** Whether only `ood` games have this pair of object type and target type: about 15 % of all pairs. */
export function isHeldOutPair(object: string, target: string): boolean {
  return hashOf('held-out pair', object, target) % 100 < 15
}

/** Whether only `id` games have this combination: about 12 % of those on training floor plans. */
function isHeldOutCombination(plan: number, { taskType, object, target }: Goal): boolean {
  return hashOf('held-out game', plan, taskType, object, target) % 100 < 12
}

/** The split that has this combination; null if none does. */
export function splitOf(plan: number, goal: Goal): Split | null {
  const isUnseen = unseenFloorPlans.includes(plan)
  if (isUnseen !== isHeldOutPair(goal.object, goal.target)) return null
  return isUnseen ? 'ood' : isHeldOutCombination(plan, goal) ? 'id' : 'train'
}
