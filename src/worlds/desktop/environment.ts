/** The desktop as the loop's environment: running episodes by id, stepped in batches, each step with its true label. */
import { UnknownEpisodeError } from '../unknown-episode-error.ts'
import type { EnvironmentPort, EpisodeStart, RewriteResult, Split, StepResult, Task } from '../../method/ports.ts'
import { cloneState, startGame, type DesktopState } from './engine/state.ts'
import { distanceToGoal } from './planning/distance.ts'
import { stepLabel } from './planning/step-label.ts'
import { applyRewrite } from './rewrites/apply.ts'
import { parseRewrite } from './rewrites/language.ts'
import { stepIn } from './scene/dialects.ts'
import { DIALECT_OF, openingScreen, screenText, type ScreenText } from './scene/screen-text.ts'
import { describeTask, type DesktopTask } from './task.ts'
import { portTask, sampleTasks } from './task-source.ts'

interface DesktopOptions {
  /** `text` by default. */
  screen?: ScreenText
  /** Where tasks come from; generated ones by default. */
  tasks?: (split: Split, count: number, seed: number) => Task[]
}

interface Episode {
  state: DesktopState
  distance: number
}

export class DesktopEnvironment implements EnvironmentPort {
  private readonly episodes = new Map<string, Episode>()
  private readonly screen: ScreenText
  private readonly tasks: NonNullable<DesktopOptions['tasks']>

  constructor({ screen = 'text', tasks = sampleTasks }: DesktopOptions = {}) {
    this.screen = screen
    this.tasks = tasks
  }

  async sampleTasks(split: Split, count: number, seed: number): Promise<Task[]> {
    return this.tasks(split, count, seed)
  }

  async reset(starts: readonly { episodeId: string; task: Task; maxSteps: number }[]): Promise<EpisodeStart[]> {
    return starts.map(({ episodeId, task, maxSteps }) => {
      const { game } = task.body as DesktopTask
      const state = startGame(game, { stepLimit: maxSteps })
      this.episodes.set(episodeId, { state, distance: distanceToGoal(state) })
      return { episodeId, opening: openingScreen(state, game.instruction, this.screen) }
    })
  }

  async step(actions: readonly { episodeId: string; command: string }[]): Promise<StepResult[]> {
    return actions.map(({ episodeId, command }) => {
      const episode = this.episodes.get(episodeId)
      if (!episode) throw new UnknownEpisodeError(episodeId)
      const { state, distance: distanceBefore } = episode
      const before = cloneState(state)
      const { observation, won, done, accepted } = stepIn(state, command, DIALECT_OF[this.screen])
      const distance = accepted ? distanceToGoal(state) : distanceBefore
      const trueLabel = stepLabel(before, state, distanceBefore, distance)
      episode.distance = distance
      if (done) this.episodes.delete(episodeId)
      const shown = screenText(state, observation, this.screen)
      const left = distance === Infinity ? -1 : distance
      return { episodeId, observation: shown, won, done, accepted, trueLabel, distance: left }
    })
  }

  async describe(task: Task): Promise<string> {
    return describeTask(task.body as DesktopTask)
  }

  async rewrite(task: Task, rewriteText: string, newId: string, maxSteps: number): Promise<RewriteResult> {
    const rewrite = parseRewrite(rewriteText)
    if (!rewrite) return { ok: false, message: `"${rewriteText.trim().slice(0, 80)}" is not a rewrite.` }
    const outcome = applyRewrite(task.body as DesktopTask, rewrite, newId, { stepLimit: maxSteps })
    return outcome.ok
      ? { ok: true, task: portTask(outcome.task), message: outcome.message }
      : { ok: false, message: outcome.message }
  }
}
