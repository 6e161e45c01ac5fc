/**
 * A task: a game and the rewrites that the author has applied to it. The base game never changes; the rewrites are replayed on
 * it, so every task knows its lineage, and the instruction is always written from the goal that is tested.
 */
import { nameOf, taskSentence, type Goal, type HouseholdGame } from './engine/game.ts'
import { Knowledge } from './planning/knowledge.ts'
import type { TaskRewrite } from './rewrites/language.ts'
import { rewriteGame } from './rewrites/replay.ts'
import { worldOf } from './engine/rooms.ts'

/** Where an object is at the start, both by name ("mug 1", "drawer 2"). */
export interface Hint {
  object: string
  receptacle: string
}

/** Plain data. */
export interface HouseholdTask {
  id: string
  /** The task that the first rewrite was applied to; the task's own id if there is none. */
  rootId: string
  /** The game before all rewrites. */
  game: HouseholdGame
  /** In order, with every random choice filled in. */
  rewrites: TaskRewrite[]
  goal: Goal
  hints: Hint[]
  /** What the agent reads: the goal's sentence, then the hints. */
  instruction: string
}

export function taskOf(game: HouseholdGame): HouseholdTask {
  const { id, goal } = game
  return { id, rootId: id, game, rewrites: [], goal, hints: [], instruction: instructionText(game, []) }
}

/** "put a clean mug in cabinet. Hint: the mug 1 is in drawer 2." */
export function instructionText(game: HouseholdGame, hints: readonly Hint[]): string {
  return [taskSentence(game), ...hints.map(hintSentence)].join(' ')
}

function hintSentence({ object, receptacle }: Hint): string {
  return `Hint: the ${object} is in ${receptacle}.`
}

const rewritten = new WeakMap<HouseholdTask, HouseholdGame>()

/** The game to play: the base game with all rewrites. */
export function gameOf(task: HouseholdTask): HouseholdGame {
  let game = rewritten.get(task)
  if (!game) {
    game = task.rewrites.reduce(rewriteGame, task.game)
    rewritten.set(task, game)
  }
  return game
}

/** What an agent knows after reading the task: its hints. */
export function initialKnowledge(task: HouseholdTask): Knowledge {
  const game = gameOf(task)
  const world = worldOf(game)
  const knowledge = new Knowledge(game)
  for (const hint of task.hints) {
    const object = world.objectNamed.get(hint.object)
    const receptacle = world.receptacleNamed.get(hint.receptacle)
    if (object !== undefined && receptacle !== undefined) knowledge.tell(object, receptacle)
  }
  return knowledge
}

/**
 * The task as the author reads it:
 *
 *     Goal: put a clean mug in cabinet. Hint: the mug 1 is in drawer 2.
 *     cabinet 1 closed: cup 1
 *     countertop 1: apple 1, mug 2
 *     drawer 2 closed: mug 1
 *     empty: drawer 1 closed, sinkbasin 1
 */
export function describeTask(task: HouseholdTask): string {
  const game = gameOf(task)
  const filled: string[] = []
  const empty: string[] = []
  game.receptacles.forEach((receptacle, index) => {
    const contents = game.objects.filter((object) => object.in.includes(index)).map(nameOf)
    const name = nameOf(receptacle) + (receptacle.isOpenable && !game.open.includes(index) ? ' closed' : '')
    if (contents.length > 0) filled.push(`${name}: ${contents.join(', ')}`)
    else empty.push(name)
  })
  const lines = [`Goal: ${task.instruction}`, ...filled]
  if (empty.length > 0) lines.push(`empty: ${empty.join(', ')}`)
  return lines.join('\n')
}
