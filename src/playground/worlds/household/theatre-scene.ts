/**
 * Replays an episode in its rooms: the game of its task, and where everything was after each command.
 *
 * A published log has no games. A generated one is drawn again from the seed in its id, and the author's rewrites are applied
 * again from the log, so the scene is the one that was played. The replay lists the observations that differ from the log.
 */
import type { RunView } from '../../../runs/fold.ts'
import type { EpisodeFinished } from '../../../method/events.ts'
import type { Settings } from '../../../method/settings.ts'
import type { Split } from '../../../method/ports.ts'
import { step } from '../../../worlds/household/engine/step.ts'
import type { SceneSize } from '../../../worlds/household/engine/game.ts'
import { generateGame } from '../../../worlds/household/generator/generate-game.ts'
import { parseRewrite } from '../../../worlds/household/rewrites/language.ts'
import { applyRewrite } from '../../../worlds/household/rewrites/apply.ts'
import { condition, contentsOf, isHere, startGame, type GameState } from '../../../worlds/household/engine/state.ts'
import { gameOf, taskOf, type HouseholdTask } from '../../../worlds/household/task.ts'
import { worldOf } from '../../../worlds/household/engine/rooms.ts'
import type { Replay } from '../theatre/replay.ts'

const GENERATED_ID = /\/(train|id|ood)-(compact|full)-(\d+)$/u

/** The task that was played; null if the log does not determine it. */
export function playedTask(view: RunView, taskId: string, settings: Settings): HouseholdTask | null {
  const task = view.tasks.get(taskId)
  if (!task) return null
  const body = task.task.body as Partial<HouseholdTask> | null
  if (body?.game && body.rewrites && body.goal && body.hints) return body as HouseholdTask
  if (!task.origin) return drawnAgain(taskId)
  const { proposal } = task.origin
  const before = playedTask(view, proposal.taskId, settings)
  const text = proposal.attempts.find(({ ok }) => ok)?.text
  // A null rewrite is the same task under another name.
  if (text === '') return before
  const rewrite = text === undefined ? null : parseRewrite(text)
  if (!before || !rewrite) return null
  const after = applyRewrite(before, rewrite, taskId, { stepLimit: settings.maxSteps, allowsIdGoals: true })
  return after.ok ? after.task : null
}

function drawnAgain(taskId: string): HouseholdTask | null {
  const [, split, sceneSize, seed] = GENERATED_ID.exec(taskId) ?? []
  if (seed === undefined) return null
  const game = generateGame({ seed: Number(seed), split: split as Split, sceneSize: sceneSize as SceneSize })
  // Another version of the generator may draw another game.
  return game.id === taskId ? taskOf(game) : null
}

export interface SceneObject {
  name: string
  /** "hot", "clean", "sliced" ... */
  conditions: string[]
  /** Whether its type is the task's. */
  isWanted: boolean
}

export interface SceneReceptacle {
  name: string
  isHere: boolean
  /** Null if it cannot be opened. */
  isOpen: boolean | null
  /** Whether the agent has seen what is in it. */
  isSeen: boolean
  isTarget: boolean
  contents: SceneObject[]
}

export interface Moment {
  /** Commands played so far. */
  step: number
  receptacles: SceneReceptacle[]
  held: SceneObject | null
  /** Names of what the agent is at; empty in the middle of the room. */
  place: string[]
}

export function replay(task: HouseholdTask, episode: EpisodeFinished, settings: Settings): Replay<Moment> {
  const state = startGame(gameOf(task), {
    dialect: settings.dialect,
    stepLimit: settings.maxSteps,
    explainRefusals: settings.explainRefusals,
  })
  const seen = new Set<number>()
  const moments = [momentOf(state, 0, seen)]
  const differences: number[] = []
  episode.steps.forEach(({ command, observation }, index) => {
    const outcome = step(state, command)
    if (outcome.observation.trim() !== observation.trim()) differences.push(index)
    moments.push(momentOf(state, index + 1, seen))
  })
  return { moments, differences }
}

function momentOf(state: GameState, step: number, seen: Set<number>): Moment {
  const world = worldOf(state.game)
  const { goal } = state.game
  const object = (index: number): SceneObject => ({
    name: world.objects[index]!.name,
    conditions: (Object.keys(condition) as (keyof typeof condition)[]).filter(
      (name) => (state.conditions[index]! & condition[name]) !== 0,
    ),
    isWanted: world.objects[index]!.type === goal.object,
  })
  const receptacles = world.receptacles.map(({ index, name, type, isOpenable }): SceneReceptacle => {
    const here = isHere(world, state, index)
    const isOpen = isOpenable ? state.open[index] === 1 : null
    if (here && isOpen !== false) seen.add(index)
    return {
      name,
      isHere: here,
      isOpen,
      isSeen: seen.has(index),
      isTarget: type === goal.target,
      contents: contentsOf(state, index).map(object),
    }
  })
  return {
    step,
    receptacles,
    held: state.held < 0 ? null : object(state.held),
    place: receptacles.filter((receptacle) => receptacle.isHere).map(({ name }) => name),
  }
}

/** The scene in one sentence, for screen readers. */
export function momentSentence({ place, held }: Moment): string {
  const where = place.length === 0 ? 'in the middle of the room' : `at ${place.join(' and ')}`
  return `The agent is ${where} and holds ${held ? `a ${held.name}` : 'nothing'}.`
}
