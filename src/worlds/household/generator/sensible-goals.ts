import { isCapable, treatmentOf, type Goal } from '../engine/game.ts'
import { holdsOne } from './full/start-patterns.ts'
import { accepts, applianceType, can } from '../engine/vocabulary.ts'

/** Whether a goal makes sense: its target accepts the object and does not make the task trivial. */
export function isSensibleGoal({ taskType, object, target }: Goal): boolean {
  if (!isCapable(taskType, object)) return false
  if (taskType === 'look_at_obj_in_light') return can(target, 'lamp')
  if (!accepts(target, object)) return false
  const treatment = treatmentOf(taskType)
  if (treatment && applianceType[treatment] === target) return false
  return taskType !== 'pick_two_obj_and_place' || !holdsOne.has(target)
}
