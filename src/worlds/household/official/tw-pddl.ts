/**
 * Reads one game of ALFWorld as released, "game.tw-pddl": JSON with the state and the goal in PDDL, the grammar of its
 * sentences, and commands that win it. What is read is what is played: everything that an agent can see or do follows
 * from the facts as in the original, and a file whose facts this engine could not play exactly is refused.
 *
 * Beside a game may lie `traj_data.json`, about the episode in AI2-THOR that the game was made from. Nothing of it is
 * read: where the two disagree, as after a rewrite of the goal, the text game is what its own file says.
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
  /** Commands that win it, of the dialect v2; empty if the file has none that do. */
  walkthrough: string[]
}

/** `path` names the game: ALFWorld's folders say task, floor plan and trial. Throws GameFileError. */
export function readTwPddl(text: string, path: string): OfficialGameFile {
  const { id, floorPlan, isLeftOut } = readGamePath(path)
  if (isLeftOut) {
    throw new GameFileError('It is a task with a movable receptacle or something sliced, which ALFWorld leaves out.')
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
  // Its words are slices of the file, which would be kept in memory with them; a copy has words of its own.
  return structuredClone({ game, walkthrough: wins(game, walkthrough) ? walkthrough : [] })
}

/** Some releases have ids for names in their walkthroughs, and those of before 0.4 say "put mug 1 in/on desk 1". */
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
    throw new GameFileError('It is not JSON, so it was cut off or is something else.')
  }
  if (typeof json !== 'object' || json === null || !('pddl_problem' in json)) {
    throw new GameFileError('It is JSON without a "pddl_problem", so it is no game.')
  }
  const { pddl_problem, grammar, walkthrough, solvable } = json as Record<string, unknown>
  if (typeof pddl_problem !== 'string') throw new GameFileError('Its "pddl_problem" is not text.')
  if (typeof grammar !== 'string') throw new GameFileError('It has no "grammar", so it does not say what the task is.')
  if (solvable === false) throw new GameFileError('It is marked as unsolvable; ALFWorld leaves such games out.')
  const commands = walkthrough ?? []
  if (!Array.isArray(commands) || !commands.every((command) => typeof command === 'string')) {
    throw new GameFileError('Its "walkthrough" is no list of commands.')
  }
  return { pddl_problem, grammar, walkthrough: commands }
}

/** Where no folder tells the floor plan: a number that is no floor plan's and still says which kind of room this is. */
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

/** A walkthrough need not: it is left over from the goal before where somebody has rewritten that. */
function wins(game: HouseholdGame, walkthrough: readonly string[]): boolean {
  const state = startGame(game, { stepLimit: Infinity })
  return walkthrough.every((command) => !state.won && step(state, command).accepted) && state.won
}
