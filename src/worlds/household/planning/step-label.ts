/**
 * The truth about a step, which a reward model is measured against:
 *
 *     +1  if the distance to the goal dropped, or the step told where a missing thing may be
 *     -1  else
 *
 * A step tells something if it brought the agent for the first time to a receptacle whose contents it does not know, or
 * showed such contents, while the agent does not know of enough targets (or of a lamp) and one of the missing kind may
 * be in there. "Nothing happens." counts as telling nothing (although it tells that one stands there already), and
 * coming back to a closed receptacle does too, so that walking to and fro is never rewarded.
 */
import { isAdmissible, parseCommand } from '../engine/commands.ts'
import { placementWeight, type Knowledge } from './knowledge.ts'
import { distanceToGoal } from './plan.ts'
import { isAccessible, type GameState } from '../engine/state.ts'
import { worldOf } from '../engine/rooms.ts'

type StepLabel = 1 | -1

/** `knowledge` is what was known before the step. The distances are computed where they are not given. */
export function stepLabel(
  before: GameState,
  command: string,
  after: GameState,
  knowledge: Knowledge,
  distanceBefore = distanceToGoal(before),
  distanceAfter = distanceToGoal(after),
): StepLabel {
  if (distanceAfter < distanceBefore) return 1
  // Where the goal is out of reach nothing is worth knowing.
  if (distanceAfter === Infinity) return -1
  return seeksMissing(before, command, after, knowledge) ? 1 : -1
}

function seeksMissing(before: GameState, command: string, after: GameState, knowledge: Knowledge): boolean {
  const world = worldOf(before.game)
  const parsed = parseCommand(world, before.dialect, command)
  if (parsed === null || (parsed.verb !== 'go' && parsed.verb !== 'open' && parsed.verb !== 'examine')) return false
  const { verb, receptacle } = parsed
  if (knowledge.examined[receptacle] === 1 || !isAdmissible(world, before, parsed)) return false
  const isNewThere = verb === 'go' && knowledge.placed[receptacle] === 0
  const isSeenNow = isAccessible(world, after, receptacle)
  if (!isNewThere && !isSeenNow) return false
  const missing = knowledge.missingTypes(before)
  if (missing.length === 0) return false
  const mayHold = (r: number) => missing.some((type) => placementWeight(type, world.receptacles[r]!.type) > 0)
  if (mayHold(receptacle)) return true
  // With no likely receptacle left, any unseen one may hold it.
  return !world.receptacles.some((r) => knowledge.examined[r.index] === 0 && mayHold(r.index))
}
