/** Plays task pages in frames, as an environment of steps. A page that fails ends its episode. */
import type { EnvironmentPort, EpisodeStart, StepResult, Task } from '../../../method/ports.ts'
import { parseCommand } from './commands.ts'
import { openingText, viewText } from './page-text.ts'
import { EPISODE_MS, PageError, WINNING_REWARD, type OpenedPage, type OpenPage, type PageView } from './protocol.ts'

/** Body of a task. */
export interface PageTask {
  document: string
  seed: number
}

interface Playing {
  /** Null once it is closed or could not start. */
  page: OpenedPage | null
  utterance: string
  stepsLeft: number
}

export class PageEnvironment implements Pick<EnvironmentPort, 'reset' | 'step'> {
  readonly #open: OpenPage
  readonly #playing = new Map<string, Playing>()
  /** By episode, why its page failed. Such an episode says nothing about the model. */
  readonly failures = new Map<string, string>()

  constructor(open: OpenPage) {
    this.#open = open
  }

  reset(starts: readonly { episodeId: string; task: Task; maxSteps: number }[]): Promise<EpisodeStart[]> {
    return Promise.all(
      starts.map(async ({ episodeId, task, maxSteps }) => {
        const playing: Playing = { page: null, utterance: '', stepsLeft: maxSteps }
        this.#playing.set(episodeId, playing)
        const { document, seed } = task.body as PageTask
        const view = await this.#orFailure(episodeId, async () => {
          playing.page = await this.#open(document)
          return playing.page.ask({ ask: 'start', seed, limitMs: EPISODE_MS, isReal: false })
        })
        playing.utterance = view?.utterance ?? ''
        return { episodeId, opening: view ? openingText(view) : this.#failed(episodeId) }
      }),
    )
  }

  step(actions: readonly { episodeId: string; command: string }[]): Promise<StepResult[]> {
    return Promise.all(
      actions.map(async ({ episodeId, command }) => {
        const playing = this.#playing.get(episodeId)
        if (!playing) throw new Error(`There is no episode ${episodeId}.`)
        playing.stepsLeft--
        const parsed = parseCommand(command)
        const seen = this.failures.has(episodeId)
          ? null
          : await this.#orFailure(episodeId, () =>
              playing.page!.ask({ ask: 'act', command: parsed ?? { kind: 'wait' } }),
            )
        const view = seen && { ...seen, isAccepted: parsed !== null && seen.isAccepted }
        const done = view === null || view.isDone || playing.stepsLeft <= 0
        if (done) this.#end(episodeId)
        return {
          episodeId,
          observation: view ? viewText(view, playing.utterance) : this.#failed(episodeId),
          won: view?.isDone === true && view.rawReward === WINNING_REWARD,
          done,
          trueLabel: null,
          distance: null,
        }
      }),
    )
  }

  /** Ends every episode. */
  close(): void {
    for (const id of [...this.#playing.keys()]) this.#end(id)
  }

  /** Null where the page has failed. */
  async #orFailure(episodeId: string, ask: () => Promise<PageView>): Promise<PageView | null> {
    try {
      return await ask()
    } catch (cause) {
      if (!(cause instanceof PageError)) throw cause
      this.failures.set(episodeId, cause.message)
      return null
    }
  }

  #failed(episodeId: string): string {
    return `The page failed. ${this.failures.get(episodeId)}`
  }

  #end(id: string): void {
    this.#playing.get(id)?.page?.close()
    this.#playing.delete(id)
  }
}
