/**
 * The ground truth about a step, against which the reward model's process accuracy is measured:
 *
 *     +1  if the distance to the goal decreased, or the step revealed where a missing object may be
 *     -1  otherwise
 *
 * A step is revealing if it brought the agent for the first time to a receptacle whose contents it does not know, or showed
 * such contents, while the agent does not know enough targets (or no lamp) and a missing object may be there. "Nothing
 * happens." never counts (although it reveals that the agent is already there), nor does returning to a closed receptacle,
 * so walking back and forth is never rewarded.
 */
import { isAdmissible, parseCommand } from '../engine/commands.ts'
import { placementWeight, type Knowledge } from './knowledge.ts'
import { distanceToGoal } from './plan.ts'
import { isAccessible, type GameState } from '../engine/state.ts'
import { worldOf } from '../engine/rooms.ts'

type StepLabel = 1 | -1

/** `knowledge` is the agent's knowledge before the step. */
export function stepLabel(
  before: GameState,
  command: string,
  after: GameState,
  knowledge: Knowledge,
  distanceBefore = distanceToGoal(before),
  distanceAfter = distanceToGoal(after),
): StepLabel {
  if (distanceAfter < distanceBefore) return 1
  // If the goal is out of reach, no information is worth anything.
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
  // If no likely receptacle is left, any unseen one may hold it.
  return !world.receptacles.some((r) => knowledge.examined[r.index] === 0 && mayHold(r.index))
}
