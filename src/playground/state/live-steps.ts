/** Steps of the episodes that are being rolled out. The record of a finished episode replaces them. */
import type { StepHappened } from '../../method/events.ts'

export class LiveSteps {
  readonly #byEpisode = new Map<string, StepHappened[]>()

  /** Episodes in the order in which they began. */
  get byEpisode(): ReadonlyMap<string, readonly StepHappened[]> {
    return this.#byEpisode
  }

  take(step: StepHappened): void {
    const steps = this.#byEpisode.get(step.episodeId)
    if (steps) steps.push(step)
    else this.#byEpisode.set(step.episodeId, [step])
  }

  forget(episodeId: string): void {
    this.#byEpisode.delete(episodeId)
  }

  clear(): void {
    this.#byEpisode.clear()
  }
}
