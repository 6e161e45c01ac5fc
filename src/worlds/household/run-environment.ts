/** The environment of one run, which its worker opens with the run's settings before the loop uses it. */
import type { EnvironmentPort, EpisodeStart, RewriteResult, Split, StepResult, Task } from '../../method/ports.ts'
import type { FixedTrajectory } from '../../method/judge-evaluation/fixed-trajectory.ts'
import { DEFAULTS } from '../../method/settings.ts'
import type { WorldRequest } from '../world.ts'
import type { Dialect } from './engine/state.ts'
import { householdTrajectories } from './fixed-trajectories.ts'
import type { GameLibrary } from './library/game-library.ts'
import { NoGamesError, OFFICIAL_SPLIT_OF } from './library/imported-games.ts'
import { createEnvironment } from './create-environment.ts'

type Arguments<Method extends keyof EnvironmentPort> = Parameters<EnvironmentPort[Method]>

export class RunEnvironment implements EnvironmentPort {
  readonly #library: GameLibrary
  readonly #own: GameLibrary
  #environment: EnvironmentPort | null = null
  #dialect: Dialect = DEFAULTS.dialect

  /** The libraries are read only for imported games and for a person's own. */
  constructor(library: GameLibrary, own: GameLibrary) {
    this.#library = library
    this.#own = own
  }

  /** Throws NoGamesError where the run would draw imported games that are missing. */
  async open(request: WorldRequest): Promise<void> {
    const { settings, isResumed } = request
    if (settings.games === 'official') {
      const there = new Set((await this.#library.list()).map((entry) => entry.split))
      const missing = drawnSplits(request)
        .map((split) => OFFICIAL_SPLIT_OF[split])
        .filter((split) => !there.has(split))
      if (missing.length > 0) {
        throw new NoGamesError(
          `The run plays ALFWorld’s own games, but there are none of the folder${missing.length > 1 ? 's' : ''} ` +
            `${missing.join(', ')} in this browser.`,
        )
      }
    }
    if (settings.games === 'own' && !isResumed && (await this.#own.list()).length === 0)
      throw new NoGamesError('The run plays games of your own, and this browser has none.')
    this.#environment = createEnvironment(settings, this.#library, this.#own)
    this.#dialect = settings.dialect
  }

  /** Here, because the games of fixed trajectories have to be generated. Throws TrajectoryFileError. */
  async fixedTrajectories(text: string): Promise<FixedTrajectory[]> {
    return householdTrajectories(text, this.#dialect)
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
    if (this.#environment === null)
      throw new Error('The household has not been opened. Open it with the run’s settings.')
    return this.#environment
  }
}

/** Splits that a run draws games from: its tasks once at the start, the others at every evaluation. */
function drawnSplits({ settings, isResumed }: WorldRequest): Split[] {
  const isEvaluated = settings.evaluateEvery > 0 && settings.evaluationTasks > 0
  return [...(isResumed ? [] : (['train'] as const)), ...(isEvaluated ? (['id', 'ood'] as const) : [])]
}
