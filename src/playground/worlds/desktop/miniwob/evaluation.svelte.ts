/** An evaluation of a chat model on MiniWoB++'s pages, which continues while other views are shown. */
import { errorText } from '../../../../threads/error-text.ts'
import type { OpenAiSource } from '../../../../roles/source.ts'
import { MAX_STEPS, type PlayedPage } from '../../../../worlds/desktop/miniwob/evaluate.ts'
import { documentOf } from '../../../../worlds/desktop/miniwob/page-document.ts'
import type { Wheel } from '../../../../worlds/desktop/miniwob/wheel.ts'
import { scoreOf, scoresOf, type Score } from './scores.ts'

/** Pages that play at the same time. */
const MOST_PAGES = 8

export interface EvaluationRequest {
  wheel: Wheel
  /** Names of tasks. */
  tasks: readonly string[]
  /** Episodes of each. */
  episodes: number
  source: OpenAiSource
  key: string | null
}

export class Evaluation {
  #episodes = $state.raw<readonly PlayedPage[]>([])
  #request = $state.raw<EvaluationRequest | null>(null)
  #isRunning = $state.raw(false)
  #ending = $state.raw<string | null>(null)
  #abort = new AbortController()

  /** In the order in which they ended. */
  get episodes(): readonly PlayedPage[] {
    return this.#episodes
  }
  get isRunning(): boolean {
    return this.#isRunning
  }
  /** Episodes in all. */
  get planned(): number {
    return this.#request === null ? 0 : this.#request.tasks.length * this.#request.episodes
  }
  get model(): string {
    return this.#request?.source.model ?? ''
  }
  /** Why it ended early; null if it did not. */
  get ending(): string | null {
    return this.#ending
  }
  // No $derived: it would belong to the component that makes the evaluation, and stand still once that is gone.
  get scores(): readonly Score[] {
    return scoresOf(this.#episodes)
  }
  get total(): Score {
    return scoreOf('', this.#episodes)
  }

  /** Replaces what was played before. Never rejects. */
  async run(request: EvaluationRequest): Promise<void> {
    this.clear()
    const abort = new AbortController()
    this.#abort = abort
    this.#request = request
    this.#isRunning = true
    try {
      const { playPages } = await import('./play-pages.ts')
      const { wheel, tasks, episodes, source, key } = request
      const plan = {
        tasks: tasks.map((name) => ({ name, document: documentOf(wheel, name) })),
        episodes,
        parallel: Math.min(MOST_PAGES, source.concurrency),
      }
      for await (const episode of playPages(plan, { source, key }, abort.signal)) {
        if (abort.signal.aborted) break
        this.#episodes = [...this.#episodes, episode]
      }
    } catch (cause) {
      if (!abort.signal.aborted) this.#ending = errorText(cause)
    } finally {
      // Another one may have begun.
      if (this.#abort === abort) this.#isRunning = false
    }
  }

  cancel(): void {
    this.#abort.abort()
    this.#isRunning = false
    this.#ending = 'Cancelled. The episodes that ended before are kept.'
  }

  clear(): void {
    this.#abort.abort()
    this.#isRunning = false
    this.#ending = null
    this.#request = null
    this.#episodes = []
  }

  /** A line about the evaluation, then one for each episode. */
  jsonLines(): string {
    const { wheel, tasks = [], episodes = 0 } = this.#request ?? {}
    const about = {
      format: 'rlanything-miniwob',
      wheel: wheel?.version ?? '',
      model: this.model,
      tasks,
      episodes,
      maxSteps: MAX_STEPS,
      temperature: 0,
    }
    return [about, ...this.#episodes].map((line) => `${JSON.stringify(line)}\n`).join('')
  }
}
