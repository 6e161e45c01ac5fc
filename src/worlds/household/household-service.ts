/** What the environment worker answers to: the household of one run, opened with that run's settings. */
import type { EnvironmentPort, EpisodeStart, RewriteResult, Split, StepResult, Task } from '../../method/ports.ts'
import type { Settings } from '../../method/settings.ts'
import type { GameLibrary } from './library/game-library.ts'
import { NoGamesError, OFFICIAL_SPLIT_OF } from './library/imported-games.ts'
import { openHousehold } from './open-household.ts'

export interface HouseholdRequest {
  settings: Settings
  /** The run goes on, with the tasks that its log holds; only its evaluations draw games. */
  isResumed: boolean
}

type Arguments<Method extends keyof EnvironmentPort> = Parameters<EnvironmentPort[Method]>

export class HouseholdService implements EnvironmentPort {
  readonly #library: GameLibrary
  #household: EnvironmentPort | null = null

  /** The library is not touched unless official games are asked for. */
  constructor(library: GameLibrary) {
    this.#library = library
  }

  /** Throws NoGamesError where the run would come to draw official games that are not there. */
  async open(request: HouseholdRequest): Promise<void> {
    const { settings } = request
    if (settings.games === 'official') {
      const there = new Set((await this.#library.list()).map((entry) => entry.split))
      const missing = drawnSplits(request)
        .map((split) => OFFICIAL_SPLIT_OF[split])
        .filter((split) => !there.has(split))
      if (missing.length > 0) {
        throw new NoGamesError(
          `The run plays ALFWorld’s own games, and there are none of the folder${missing.length > 1 ? 's' : ''} ` +
            `${missing.join(', ')} in this browser.`,
        )
      }
    }
    this.#household = openHousehold(settings, this.#library)
  }

  async sampleTasks(...args: Arguments<'sampleTasks'>): Promise<Task[]> {
    return this.#opened.sampleTasks(...args)
  }
  async reset(...args: Arguments<'reset'>): Promise<EpisodeStart[]> {
    return this.#opened.reset(...args)
  }
  async step(...args: Arguments<'step'>): Promise<StepResult[]> {
    return this.#opened.step(...args)
  }
  async describe(...args: Arguments<'describe'>): Promise<string> {
    return this.#opened.describe(...args)
  }
  async rewrite(...args: Arguments<'rewrite'>): Promise<RewriteResult> {
    return this.#opened.rewrite(...args)
  }

  get #opened(): EnvironmentPort {
    if (this.#household === null) throw new Error('The household has not been opened. Open it with the run’s settings.')
    return this.#household
  }
}

/** Splits that a run draws games of: its tasks once at its beginning, the others whenever it is evaluated. */
function drawnSplits({ settings, isResumed }: HouseholdRequest): Split[] {
  const isEvaluated = settings.evaluateEvery > 0 && settings.evaluationTasks > 0
  return [...(isResumed ? [] : (['train'] as const)), ...(isEvaluated ? (['id', 'ood'] as const) : [])]
}
