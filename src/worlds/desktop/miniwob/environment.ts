/** Plays task pages in frames, as an environment of steps. A page that fails ends its episode, which is then lost. */
import type { EnvironmentPort, EpisodeStart, StepResult, Task } from '../../../method/ports.ts'
import { parseCommand } from './commands.ts'
import { openingText, viewText } from './page-text.ts'
import {
  EPISODE_MS,
  PageError,
  WINNING_REWARD,
  type OpenedPage,
  type OpenPage,
  type PageRequest,
  type PageView,
} from './protocol.ts'

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
  /** Why the page failed; null while it plays. */
  failure: string | null
}

export class PageEnvironment implements Pick<EnvironmentPort, 'reset' | 'step'> {
  readonly #open: OpenPage
  readonly #playing = new Map<string, Playing>()

  constructor(open: OpenPage) {
    this.#open = open
  }

  reset(starts: readonly { episodeId: string; task: Task; maxSteps: number }[]): Promise<EpisodeStart[]> {
    return Promise.all(
      starts.map(async ({ episodeId, task, maxSteps }) => {
        const playing: Playing = { page: null, utterance: '', stepsLeft: maxSteps, failure: null }
        this.#playing.set(episodeId, playing)
        const { document, seed } = task.body as PageTask
        try {
          playing.page = await this.#open(document)
        } catch (cause) {
          playing.failure = messageOf(cause)
        }
        const view = await this.#ask(playing, { ask: 'start', seed, limitMs: EPISODE_MS, isReal: false })
        playing.utterance = view?.utterance ?? ''
        return { episodeId, opening: view ? openingText(view) : `The page failed. ${playing.failure}` }
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
        const seen = await this.#ask(
          playing,
          parsed ? { ask: 'act', command: parsed } : { ask: 'act', command: { kind: 'wait' } },
        )
        const view = seen && { ...seen, isAccepted: parsed !== null && seen.isAccepted }
        const done = view === null || view.isDone || playing.stepsLeft <= 0
        if (done) this.#end(episodeId)
        return {
          episodeId,
          observation: view ? viewText(view, playing.utterance) : `The page failed. ${playing.failure}`,
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
  async #ask(playing: Playing, request: PageRequest): Promise<PageView | null> {
    if (playing.page === null) return null
    try {
      return await playing.page.ask(request)
    } catch (cause) {
      if (!(cause instanceof PageError)) throw cause
      playing.failure = cause.message
      return null
    }
  }

  #end(id: string): void {
    this.#playing.get(id)?.page?.close()
    this.#playing.delete(id)
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
