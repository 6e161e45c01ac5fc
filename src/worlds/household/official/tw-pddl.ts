/**
 * Reads a released ALFWorld game, "game.tw-pddl": JSON with the state and the goal in PDDL, the grammar of its sentences, and
 * winning commands. The game plays exactly as in the original; a file that this engine could not play exactly is refused.
 *
 * A `traj_data.json` beside a game describes the AI2-THOR episode that the game was made from. It is not read, because after
 * a rewrite of the goal it disagrees with the game.
 */
import { step } from '../engine/step.ts'
import type { GameReceptacle, HouseholdGame } from '../engine/game.ts'
import { distanceToGoal } from '../planning/plan.ts'
import { startGame } from '../engine/state.ts'
import { GameFileError } from './game-file-error.ts'
import { readGamePath } from './game-path.ts'
import { readGoal } from './goal.ts'
import { readProblem } from './problem.ts'
import { readScene } from './scene.ts'
import { readWording } from './sentence.ts'

interface OfficialGameFile {
  game: HouseholdGame
  /** Winning commands in the dialect v2; empty if the file's commands do not win. */
  walkthrough: string[]
}

/** Reads task, floor plan and trial from the folders in `path`. Throws a GameFileError. */
export function readTwPddl(text: string, path: string): OfficialGameFile {
  const { id, floorPlan, isLeftOut } = readGamePath(path)
  if (isLeftOut) {
    throw new GameFileError('Its task has a movable receptacle or a sliced object, which ALFWorld excludes.')
  }
  const file = readJson(text)
  const problem = readProblem(file.pddl_problem)
  const goal = readGoal(problem.goal)
  const scene = readScene(problem)
  const game: HouseholdGame = {
    id: id ?? (path.includes('/') ? path : `${problem.name}/${path}`),
    floorPlan: floorPlan ?? roomNumber(scene.game.receptacles),
    goal,
    ...readWording(file.grammar, goal),
    ...scene.game,
  }
  checkPlayable(game)
  const walkthrough = file.walkthrough.map((command) => commandOfToday(command, scene.names))
  // Substrings of the file would keep the whole file in memory; a copy does not.
  return structuredClone({ game, walkthrough: wins(game, walkthrough) ? walkthrough : [] })
}

/** Translates walkthroughs with ids instead of names, and those from before 0.4 with "put mug 1 in/on desk 1". */
function commandOfToday(command: string, names: ReadonlyMap<string, string>): string {
  return command
    .replace(/\w+_bar_\w+/g, (id) => names.get(id.toLowerCase()) ?? id)
    .replace(/^put (.+) in\/on (.+)$/, 'move $1 to $2')
}

interface GameJson {
  pddl_problem: string
  grammar: string
  walkthrough: string[]
}

function readJson(text: string): GameJson {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new GameFileError('It is not JSON: it is incomplete or another kind of file.')
  }
  if (typeof json !== 'object' || json === null || !('pddl_problem' in json)) {
    throw new GameFileError('It is JSON without a "pddl_problem", so it is not a game.')
  }
  const { pddl_problem, grammar, walkthrough, solvable } = json as Record<string, unknown>
  if (typeof pddl_problem !== 'string') throw new GameFileError('Its "pddl_problem" is not text.')
  if (typeof grammar !== 'string') throw new GameFileError('It has no "grammar", so it does not say what the task is.')
  if (solvable === false) throw new GameFileError('It is marked as unsolvable; ALFWorld excludes such games.')
  const commands = walkthrough ?? []
  if (!Array.isArray(commands) || !commands.every((command) => typeof command === 'string')) {
    throw new GameFileError('Its "walkthrough" is not a list of commands.')
  }
  return { pddl_problem, grammar, walkthrough: commands }
}

/** A substitute for an unknown floor plan: a number of no plan that still identifies the kind of room. */
function roomNumber(receptacles: readonly GameReceptacle[]): number {
  const has = (...types: string[]) => receptacles.some(({ type }) => types.includes(type))
  if (has('fridge', 'microwave', 'stoveburner')) return 0
  if (has('toilet', 'bathtubbasin')) return 400
  return has('bed') ? 300 : 200
}

function checkPlayable(game: HouseholdGame): void {
  const state = startGame(game)
  if (state.won) throw new GameFileError('It is won before the first command.')
  if (distanceToGoal(state) === Infinity) {
    const { object, target } = game.goal
    throw new GameFileError(`It cannot be won: its goal, ${object} and ${target}, is out of reach.`)
  }
}

/** Whether a walkthrough wins. After a rewrite of the goal it may be for the old goal. */
function wins(game: HouseholdGame, walkthrough: readonly string[]): boolean {
  const state = startGame(game, { stepLimit: Infinity })
  return walkthrough.every((command) => !state.won && step(state, command).accepted) && state.won
}
