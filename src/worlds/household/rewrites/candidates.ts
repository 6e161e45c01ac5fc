/**
 * The valid rewrites of a task that make it harder or easier, for demonstrations of the author. The number of commands that
 * the expert needs decides the direction.
 */
import type { Direction } from '../../../method/ports.ts'
import { seededRandom } from '../../random.ts'
import { isCapable } from '../engine/game.ts'
import { worldOf } from '../engine/rooms.ts'
import { defaultStepLimit, startGame } from '../engine/state.ts'
import { playExpert } from '../planning/expert.ts'
import { gameOf, initialKnowledge, type HouseholdTask } from '../task.ts'
import { applyRewrite, type RewriteOptions } from './apply.ts'
import type { TaskRewrite } from './language.ts'

const SAMPLES = 3

/** Mean number of commands that the expert needs, searching included, when it knows only what the task says. */
export function expertLength(task: HouseholdTask): number {
  const state = startGame(gameOf(task), { stepLimit: 4 * defaultStepLimit })
  let total = 0
  for (let sample = 0; sample < SAMPLES; sample++) {
    total += playExpert(state, initialKnowledge(task), seededRandom('expert length', sample)).commands.length
  }
  return total / SAMPLES
}

/**
 * All valid rewrites of a task in a direction. Added or removed distractors count as harder or easier because the scene
 * becomes longer or shorter to read; all other rewrites count by how they change `expertLength`.
 */
export function possibleRewrites(task: HouseholdTask, direction: Direction, options?: RewriteOptions): TaskRewrite[] {
  const length = expertLength(task)
  return candidateRewrites(task, direction).filter((rewrite) => {
    const outcome = applyRewrite(task, rewrite, `${task.id}/candidate`, options)
    if (!outcome.ok) return false
    if (rewrite.kind === 'add-distractors' || rewrite.kind === 'remove-object') return true
    const change = expertLength(outcome.task) - length
    return direction === 'harder' ? change > 0 : change < 0
  })
}

function candidateRewrites(task: HouseholdTask, direction: Direction): TaskRewrite[] {
  const game = gameOf(task)
  const { goal } = game
  const isHarder = direction === 'harder'
  const world = worldOf(game)
  const types = (entities: readonly { type: string }[]) => [...new Set(entities.map(({ type }) => type))]
  const targets =
    goal.taskType === 'look_at_obj_in_light'
      ? types(world.objects.filter((object) => object.isLamp))
      : types(game.receptacles)
  const objects = types(game.objects).filter((type) => isCapable(goal.taskType, type))
  const goals = objects.flatMap((object) =>
    targets.map((target): TaskRewrite => ({ kind: 'change-goal', object, target })),
  )
  const wanted = world.goalObjects.map((index) => world.objects[index]!.name)
  const receptacles = world.receptacles.map(({ name }) => name)
  const moves = wanted.flatMap((object) =>
    receptacles.map((receptacle): TaskRewrite => ({ kind: 'move', object, receptacle })),
  )
  const lids = world.receptacles.flatMap(({ name, isOpenable }): TaskRewrite[] =>
    isOpenable ? [{ kind: isHarder ? 'close' : 'open', receptacle: name }] : [],
  )
  if (isHarder) {
    const distractors = [1, 2, 3, 4].map((count): TaskRewrite => ({ kind: 'add-distractors', count }))
    return [{ kind: 'remove-hints' }, ...goals, ...moves, ...lids, ...distractors]
  }
  const hinted = [...wanted, ...world.goalLamps.map((index) => world.objects[index]!.name)]
  const hints = hinted.map((object): TaskRewrite => ({ kind: 'add-hint', object }))
  const removals = world.objects
    .filter(({ type, isPickupable }) => isPickupable && type !== goal.object)
    .map(({ name }): TaskRewrite => ({ kind: 'remove-object', object: name }))
  return [...hints, ...goals, ...moves, ...lids, ...removals]
}
