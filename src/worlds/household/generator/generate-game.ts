/**
 * Generates any number of games with the statistics of the official ones: `compact` scenes for small models, and `full` scenes
 * that agree with the official games table by table. `splits.ts` defines what the splits do not share.
 */
import type { Split } from '../../../method/ports.ts'
import { rooms, taskMix } from '../corpus/statistics.ts'
import { drawCompactScene } from './compact/scenes.ts'
import { playExpert } from '../planning/expert.ts'
import { drawFullGoal, FullRoom } from './full/scenes.ts'
import { taskTypes, withCoolTargets, type HouseholdGame, type SceneSize, type TaskType } from '../engine/game.ts'
import { Knowledge } from '../planning/knowledge.ts'
import { distanceToGoal } from '../planning/plan.ts'
import { chance, pickWeighted, seededRandom, type Random } from '../../random.ts'
import { row } from './full/scene-counts.ts'
import { sceneStatistics } from './full/scene-statistics.ts'
import type { Scene } from './scene.ts'
import { startGame } from '../engine/state.ts'

interface GeneratorOptions {
  seed: number
  split: Split
  sceneSize: SceneSize
  /** Defaults to all six. */
  taskTypes?: readonly TaskType[]
}

/** Leaves the expert some steps to spare before the usual limit of 50. */
const expertStepLimit = 45

/** The options determine the game. Throws if no game of the task types exists in the split. */
export function generateGame(options: GeneratorOptions): HouseholdGame {
  const { seed, split, sceneSize } = options
  const wanted = options.taskTypes ?? taskTypes
  const types = seededRandom('task types', seed, split, sceneSize, wanted.join())
  for (let attempt = 0; attempt < 20; attempt++) {
    // Each task type gets many draws, so the mix does not depend on how often its games are rejected.
    const taskType = pickWeighted(types, wanted, (type) => gamesOf(type, sceneSize))
    if (!taskType) break
    const game = sceneSize === 'full' ? fullGame(options, taskType, attempt) : compactGame(options, taskType, attempt)
    if (game) return game
  }
  throw new Error(
    `Seed ${seed} gave no ${split} game of the types ${wanted.join(', ')} in 1000 attempts. Allow more task types or use another seed.`,
  )
}

/** Number of official games of a task type. For compact scenes it includes the unused fourth split. */
function gamesOf(taskType: TaskType, sceneSize: SceneSize): number {
  const games = rooms.map((room) =>
    sceneSize === 'full' ? row(sceneStatistics[room], 'task').get(taskType) : taskMix[taskType][room],
  )
  return games.reduce<number>((sum, count) => sum + (count ?? 0), 0)
}

function compactGame(options: GeneratorOptions, taskType: TaskType, attempt: number): HouseholdGame | null {
  const { seed, split, sceneSize } = options
  for (let draw = 0; draw < 50; draw++) {
    const random = seededRandom('game', seed, split, sceneSize, taskType, attempt, draw)
    const scene = drawCompactScene(split, taskType, random)
    const game = scene && gameOf(scene, options, random)
    if (game && isPlayable(game, random)) return game
  }
  return null
}

/** Keeps room, plan and goal while scenes are rejected, so that rejections do not change their odds. */
function fullGame(options: GeneratorOptions, taskType: TaskType, attempt: number): HouseholdGame | null {
  const { seed, split, sceneSize } = options
  const random = seededRandom('game', seed, split, sceneSize, taskType, attempt)
  const asked = drawFullGoal(split, taskType, random)
  if (!asked) return null
  const { plan, goal } = asked
  for (let draw = 0; draw < 50; draw++) {
    const objects = FullRoom.of(plan.room).drawObjects(plan, goal, random)
    const game = objects && gameOf({ plan, goal, objects }, options, random)
    if (game && isPlayable(game, random)) return game
  }
  return null
}

function gameOf(
  { plan, goal, objects }: Scene,
  { split, sceneSize, seed }: GeneratorOptions,
  random: Random,
): HouseholdGame {
  return withCoolTargets({
    id: `${goal.taskType}-${goal.object}-${goal.target}-${plan.number}/${split}-${sceneSize}-${seed}`,
    origin: { split, sceneSize, seed },
    floorPlan: plan.number,
    receptacles: plan.receptacles.map((receptacle) => ({ ...receptacle })),
    objects,
    goal,
    phrasing: chance(random, 0.5) ? 1 : 0,
    open: [],
    cool: [],
  })
}

/** Whether the goal is still to be reached, and an expert reaches it within a usual episode. */
export function isPlayable(game: HouseholdGame, random: Random): boolean {
  const state = startGame(game, { stepLimit: expertStepLimit })
  return !state.won && distanceToGoal(state) < Infinity && playExpert(state, new Knowledge(game), random).won
}
