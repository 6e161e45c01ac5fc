/**
 * Applies rewrites to tasks if they are valid. A rewrite is refused unless what it names exists, its goal can be met (accepted
 * types, capable objects, enough of them), it changes something, does not win by itself, and leaves a task that an expert
 * with an agent's knowledge solves within the step limit. Accepted tasks are thus solvable by construction; only the
 * policy's accuracy shows whether they are as hard as intended.
 */
import { playExpert } from '../planning/expert.ts'
import { isCapable, nameOf, type Goal, type HouseholdGame } from '../engine/game.ts'
import { isHeldOutPair, splitOf } from '../generator/splits.ts'
import { distanceToGoal } from '../planning/plan.ts'
import { hashOf, seededRandom } from '../../random.ts'
import { receptacleNamed, rewriteGame } from './replay.ts'
import { formatRewrite, MOST_DISTRACTORS, type TaskRewrite } from './language.ts'
import { defaultStepLimit, startGame } from '../engine/state.ts'
import { gameOf, initialKnowledge, instructionText, type Hint, type HouseholdTask } from '../task.ts'
import { accepts, can } from '../engine/vocabulary.ts'

type RewriteRefusal =
  /** It names something that is not in the scene. */
  | 'unknown-name'
  /** The receptacle type does not accept the object type. */
  | 'not-accepted'
  /** Objects of this type cannot be picked up, or not be cleaned, heated or cooled as the task requires. */
  | 'not-capable'
  | 'too-few-objects'
  /** The goal, or its pair of object and target, is reserved for measuring generalisation. */
  | 'held-out'
  | 'no-change'
  /** The task needs the object to remove. */
  | 'needed'
  /** The hint is about an object that the task does not need. */
  | 'irrelevant'
  | 'out-of-range'
  | 'already-won'
  | 'unsolvable'
  /** The expert exceeds the step limit. */
  | 'too-long'

type RewriteOutcome =
  | { ok: true; task: HouseholdTask; message: string }
  | { ok: false; reason: RewriteRefusal; message: string }

export interface RewriteOptions {
  stepLimit?: number
  /**
   * Whether a training task may get a goal that only `id` has; false by default. Older logs have such rewrites, and so have the
   * demonstrations that the shipped author learned from.
   */
  allowsIdGoals?: boolean
}

export function applyRewrite(
  task: HouseholdTask,
  rewrite: TaskRewrite,
  newId: string,
  { stepLimit = defaultStepLimit, allowsIdGoals = false }: RewriteOptions = {},
): RewriteOutcome {
  const before = gameOf(task)
  const complete = completed(before, rewrite, newId)
  const refused = refusalOf(task, before, complete, allowsIdGoals)
  if (refused) return refused
  const after = rewriteGame(before, complete)
  const hints = hintsAfter(task, complete, after)
  const next: HouseholdTask = {
    id: newId,
    rootId: task.rootId,
    game: task.game,
    rewrites: [...task.rewrites, complete],
    goal: after.goal,
    hints,
    instruction: instructionText(after, hints),
  }
  return unplayable(next, stepLimit) ?? { ok: true, task: next, message: `Applied: ${formatRewrite(complete)}.` }
}

function refuse(reason: RewriteRefusal, message: string): { ok: false; reason: RewriteRefusal; message: string } {
  return { ok: false, reason, message }
}

/** Fills in what the rewrite leaves open, so that it can be replayed. */
function completed(game: HouseholdGame, rewrite: TaskRewrite, newId: string): TaskRewrite {
  if (rewrite.kind === 'add-distractors') return { ...rewrite, seed: rewrite.seed ?? hashOf(newId) }
  if (rewrite.kind !== 'add-hint' || rewrite.receptacle !== undefined) return rewrite
  const where = game.objects.find((object) => nameOf(object) === rewrite.object)?.in[0]
  return where === undefined ? rewrite : { ...rewrite, receptacle: nameOf(game.receptacles[where]!) }
}

function refusalOf(
  task: HouseholdTask,
  game: HouseholdGame,
  rewrite: TaskRewrite,
  allowsIdGoals: boolean,
): ReturnType<typeof refuse> | null {
  if ('object' in rewrite && rewrite.kind !== 'change-goal' && !objectNamed(game, rewrite.object)) {
    return refuse('unknown-name', `There is no ${rewrite.object} here.`)
  }
  if ('receptacle' in rewrite && rewrite.receptacle !== undefined && receptacleNamed(game, rewrite.receptacle) < 0) {
    return refuse('unknown-name', `There is no ${rewrite.receptacle} here.`)
  }
  switch (rewrite.kind) {
    case 'change-goal':
      return goalRefusal(game, { ...game.goal, object: rewrite.object, target: rewrite.target }, allowsIdGoals)
    case 'add-hint': {
      const { type, in: where } = objectNamed(game, rewrite.object)!
      if (type !== game.goal.object && type !== game.goal.target) {
        return refuse('irrelevant', `The task does not ask for the ${rewrite.object}.`)
      }
      if (rewrite.receptacle === undefined || !where.includes(receptacleNamed(game, rewrite.receptacle))) {
        const place = rewrite.receptacle === undefined ? 'any receptacle' : `the ${rewrite.receptacle}`
        return refuse('unknown-name', `The ${rewrite.object} is not in ${place}.`)
      }
      const isKnown = task.hints.some((hint) => hint.object === rewrite.object)
      return isKnown ? refuse('no-change', `A hint about the ${rewrite.object} is given already.`) : null
    }
    case 'remove-hints':
      return task.hints.length === 0 ? refuse('no-change', 'There are no hints to remove.') : null
    case 'add-distractors': {
      const isCount = Number.isInteger(rewrite.count) && rewrite.count >= 1 && rewrite.count <= MOST_DISTRACTORS
      return isCount ? null : refuse('out-of-range', `Add 1 to ${MOST_DISTRACTORS} objects at once.`)
    }
    case 'remove-object': {
      const { type } = objectNamed(game, rewrite.object)!
      const isNeeded = type === game.goal.object || type === game.goal.target
      return isNeeded ? refuse('needed', `The task asks for the ${rewrite.object}.`) : null
    }
    case 'open':
    case 'close': {
      const index = receptacleNamed(game, rewrite.receptacle)
      const isOpen = !game.receptacles[index]!.isOpenable || game.open.includes(index)
      const canClose = game.receptacles[index]!.isOpenable
      if (rewrite.kind === 'close' && !canClose)
        return refuse('not-capable', `The ${rewrite.receptacle} cannot be closed.`)
      if (isOpen === (rewrite.kind === 'open')) {
        return refuse('no-change', `The ${rewrite.receptacle} is ${isOpen ? 'open' : 'closed'} already.`)
      }
      return null
    }
    case 'move': {
      const object = objectNamed(game, rewrite.object)!
      const to = receptacleNamed(game, rewrite.receptacle)
      if (!(object.isPickupable ?? can(object.type, 'pickupable'))) {
        return refuse('not-capable', `The ${rewrite.object} cannot be moved.`)
      }
      if (!accepts(game.receptacles[to]!.type, object.type)) {
        return refuse('not-accepted', `A ${game.receptacles[to]!.type} does not accept a ${object.type}.`)
      }
      const isThere = object.in.length === 1 && object.in[0] === to
      return isThere ? refuse('no-change', `The ${rewrite.object} is in ${rewrite.receptacle} already.`) : null
    }
  }
}

function objectNamed(game: HouseholdGame, name: string) {
  return game.objects.find((object) => nameOf(object) === name)
}

function goalRefusal(game: HouseholdGame, goal: Goal, allowsIdGoals: boolean): ReturnType<typeof refuse> | null {
  const { object, target, taskType } = goal
  const isLampTask = taskType === 'look_at_obj_in_light'
  if (object === game.goal.object && target === game.goal.target) {
    return refuse('no-change', `The goal is ${object} and ${target} already.`)
  }
  const isTargetHere = isLampTask
    ? can(target, 'lamp') && game.objects.some((lamp) => lamp.type === target && lamp.in.length > 0)
    : game.receptacles.some((receptacle) => receptacle.type === target)
  if (!isTargetHere)
    return refuse('unknown-name', `There is no ${target} to ${isLampTask ? 'look with' : 'put things in'} here.`)
  if (!game.objects.some((other) => other.type === object)) return refuse('unknown-name', `There is no ${object} here.`)
  if (!isCapable(taskType, object)) return refuse('not-capable', `A ${object} cannot be handled as the task asks.`)
  if (!isLampTask && !accepts(target, object)) {
    return refuse('not-accepted', `A ${target} does not accept a ${object}.`)
  }
  const needed = taskType === 'pick_two_obj_and_place' ? 2 : 1
  const count = game.objects.filter((other) => other.type === object && other.in.length > 0).length
  if (count < needed)
    return refuse('too-few-objects', `The task needs ${needed} ${object} in reach, and there is ${count}.`)
  const split = game.origin?.split
  const isOnlyInId = split === 'train' && !allowsIdGoals && splitOf(game.floorPlan, goal) === 'id'
  if (isOnlyInId || (split && split !== 'ood' && isHeldOutPair(object, target))) {
    return refuse('held-out', `${object} with ${target} is kept for measuring generalisation.`)
  }
  return null
}

/** Keeps hints that are still true and about the goal. */
function hintsAfter(task: HouseholdTask, rewrite: TaskRewrite, game: HouseholdGame): Hint[] {
  if (rewrite.kind === 'remove-hints') return []
  const added = rewrite.kind === 'add-hint' ? [{ object: rewrite.object, receptacle: rewrite.receptacle! }] : []
  return [...task.hints, ...added].filter((hint) => {
    const object = objectNamed(game, hint.object)
    if (!object || (object.type !== game.goal.object && object.type !== game.goal.target)) return false
    return object.in.includes(receptacleNamed(game, hint.receptacle))
  })
}

function unplayable(task: HouseholdTask, stepLimit: number): ReturnType<typeof refuse> | null {
  const game = gameOf(task)
  const state = startGame(game, { stepLimit })
  if (state.won) return refuse('already-won', 'The goal would be met before the first step.')
  const distance = distanceToGoal(state)
  if (distance === Infinity) return refuse('unsolvable', 'The goal could not be reached any more.')
  const isSolved =
    distance <= stepLimit && playExpert(state, initialKnowledge(task), seededRandom('solvable', task.id)).won
  return isSolved ? null : refuse('too-long', `The expert does not get there in ${stepLimit} steps.`)
}
