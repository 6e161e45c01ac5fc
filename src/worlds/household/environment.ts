/** The household as the loop's environment: running episodes by id, stepped in batches, each step with its true label. */
import { UnknownEpisodeError } from '../unknown-episode-error.ts'
import type { EnvironmentPort, EpisodeStart, RewriteResult, Split, StepResult, Task } from '../../method/ports.ts'
import { step } from './engine/step.ts'
import type { GameSource } from './game-source.ts'
import type { Knowledge } from './planning/knowledge.ts'
import { openingText } from './engine/observations.ts'
import { distanceToGoal } from './planning/plan.ts'
import { applyRewrite } from './rewrites/apply.ts'
import { parseRewrite } from './rewrites/language.ts'
import { cloneState, startGame, type Dialect, type GameState } from './engine/state.ts'
import { stepLabel } from './planning/step-label.ts'
import { describeTask, gameOf, initialKnowledge, taskOf, type HouseholdTask } from './task.ts'

interface HouseholdOptions {
  games: GameSource
  dialect?: Dialect
  /** Whether a reason follows "Nothing happens." */
  explainRefusals?: boolean
}

interface Episode {
  state: GameState
  knowledge: Knowledge
  distance: number
}

export class HouseholdEnvironment implements EnvironmentPort {
  private readonly episodes = new Map<string, Episode>()

  constructor(private readonly options: HouseholdOptions) {}

  async sampleTasks(split: Split, count: number, seed: number): Promise<Task[]> {
    const games = await this.options.games.sample(split, count, seed)
    return games.map((game) => portTask(taskOf(game)))
  }

  async reset(starts: readonly { episodeId: string; task: Task; maxSteps: number }[]): Promise<EpisodeStart[]> {
    const { dialect, explainRefusals } = this.options
    return starts.map(({ episodeId, task, maxSteps }) => {
      const body = task.body as HouseholdTask
      const state = startGame(gameOf(body), { stepLimit: maxSteps, dialect, explainRefusals })
      this.episodes.set(episodeId, { state, knowledge: initialKnowledge(body), distance: distanceToGoal(state) })
      return { episodeId, opening: openingText(state, body.instruction) }
    })
  }

  async step(actions: readonly { episodeId: string; command: string }[]): Promise<StepResult[]> {
    return actions.map(({ episodeId, command }) => {
      const episode = this.episodes.get(episodeId)
      if (!episode) throw new UnknownEpisodeError(episodeId)
      const { state, knowledge, distance: distanceBefore } = episode
      const before = cloneState(state)
      const { observation, won, done, accepted } = step(state, command)
      const distance = accepted ? distanceToGoal(state) : distanceBefore
      const trueLabel = stepLabel(before, command, state, knowledge, distanceBefore, distance)
      knowledge.update(command, accepted, state)
      episode.distance = distance
      if (done) this.episodes.delete(episodeId)
      const left = distance === Infinity ? -1 : distance
      return { episodeId, observation, won, done, accepted, trueLabel, distance: left }
    })
  }

  async describe(task: Task): Promise<string> {
    return describeTask(task.body as HouseholdTask)
  }

  async rewrite(task: Task, rewriteText: string, newId: string, maxSteps: number): Promise<RewriteResult> {
    const rewrite = parseRewrite(rewriteText)
    if (!rewrite) return { ok: false, message: `"${rewriteText.trim().slice(0, 80)}" is not a rewrite.` }
    const outcome = applyRewrite(task.body as HouseholdTask, rewrite, newId, { stepLimit: maxSteps })
    return outcome.ok
      ? { ok: true, task: portTask(outcome.task), message: outcome.message }
      : { ok: false, message: outcome.message }
  }
}

export function portTask(task: HouseholdTask): Task {
  return { id: task.id, rootId: task.rootId, instruction: task.instruction, kind: task.goal.taskType, body: task }
}
