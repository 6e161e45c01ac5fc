/**
 * Replays an episode in its rooms: where everything was after each command of a task (played-task.ts). The replay lists the
 * observations that differ from the log.
 */
import type { EpisodeFinished } from '../../../method/events.ts'
import type { Settings } from '../../../method/settings.ts'
import { step } from '../../../worlds/household/engine/step.ts'
import { condition, contentsOf, isHere, startGame, type GameState } from '../../../worlds/household/engine/state.ts'
import { gameOf, type HouseholdTask } from '../../../worlds/household/task.ts'
import { worldOf } from '../../../worlds/household/engine/rooms.ts'
import type { Replay } from '../theatre/replay.ts'

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

export interface SceneMoment {
  /** Commands played so far. */
  step: number
  receptacles: SceneReceptacle[]
  held: SceneObject | null
  /** Names of what the agent is at; empty in the middle of the room. */
  place: string[]
}

export function replay(task: HouseholdTask, episode: EpisodeFinished, settings: Settings): Replay<SceneMoment> {
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

function momentOf(state: GameState, step: number, seen: Set<number>): SceneMoment {
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
export function momentSentence({ place, held }: SceneMoment): string {
  const where = place.length === 0 ? 'in the middle of the room' : `at ${place.join(' and ')}`
  return `The agent is ${where} and holds ${held ? `a ${held.name}` : 'nothing'}.`
}
