/**
 * The episodes of a run and the tests written for its tasks. Each is stored when it ends or is written; its votes, feedback and
 * advantages are added by later events.
 */
import type {
  AdvantagesAssigned,
  EpisodeFinished,
  EpisodeJudged,
  TestAdvantagesAssigned,
  TestsWritten,
} from '../method/events.ts'
import { SharedResults } from './shared-results.ts'
import type { EpisodeView, IterationView, TestsView } from './views.ts'

export class EpisodeViews {
  readonly #byId = new Map<string, EpisodeView>()
  /** By iteration and task. */
  readonly #tests = new Map<string, TestsView>()
  readonly #results = new SharedResults()

  get byId(): ReadonlyMap<string, EpisodeView> {
    return this.#byId
  }

  testsFor(iteration: number, taskId: string): TestsView | null {
    return this.#tests.get(testsKey(iteration, taskId)) ?? null
  }

  add(episode: EpisodeFinished, iteration: number): EpisodeView {
    this.#results.share(episode)
    const view: EpisodeView = {
      episode,
      iteration,
      votes: null,
      feedback: null,
      policyAdvantages: null,
      rewardAdvantages: null,
    }
    this.#byId.set(episode.episodeId, view)
    return view
  }

  judge({ episodeId, votes }: EpisodeJudged): void {
    const view = this.#byId.get(episodeId)
    if (view) view.votes = votes
  }

  assign({ episodeId, feedback, policy, reward }: AdvantagesAssigned): void {
    const view = this.#byId.get(episodeId)
    if (!view) return
    view.feedback = feedback
    view.policyAdvantages = policy
    view.rewardAdvantages = reward
  }

  addTests(written: TestsWritten, iteration: number): TestsView {
    this.#results.share(written)
    const view: TestsView = { written, iteration, feedback: null, advantages: null }
    this.#tests.set(testsKey(iteration, written.taskId), view)
    return view
  }

  assignTests({ taskId, feedback, reward }: TestAdvantagesAssigned, iteration: number): void {
    const view = this.testsFor(iteration, taskId)
    if (!view) return
    view.feedback = feedback
    view.advantages = reward
  }

  /** A copy that can change without this one; both share the views. */
  copy(): EpisodeViews {
    const copy = new EpisodeViews()
    for (const [id, view] of this.#byId) copy.#byId.set(id, view)
    for (const [key, view] of this.#tests) copy.#tests.set(key, view)
    return copy
  }

  /** Frees the training episodes of an iteration and their tests. */
  release({ iteration, episodes, writtenTests }: IterationView): void {
    for (const { episode } of episodes) this.#byId.delete(episode.episodeId)
    for (const { written } of writtenTests) this.#tests.delete(testsKey(iteration, written.taskId))
  }

  releaseEvaluations(): void {
    for (const [id, { episode }] of this.#byId) if (episode.split !== 'train') this.#byId.delete(id)
    for (const [key, { written }] of this.#tests) if (written.split !== 'train') this.#tests.delete(key)
  }

  /** Forgets an iteration that starts again. */
  discard(iteration: number): void {
    for (const [id, each] of this.#byId) if (each.iteration === iteration) this.#byId.delete(id)
    for (const [key, each] of this.#tests) if (each.iteration === iteration) this.#tests.delete(key)
  }
}

function testsKey(iteration: number, taskId: string): string {
  return `${iteration}/${taskId}`
}
