/** Keeps equal results of programs within a run's events once. */
import { EqualResults } from '../method/equal-results.ts'
import type { EpisodeFinished, TestsWritten } from '../method/events.ts'
import type { TestResult } from '../method/ports.ts'

export class SharedResults {
  readonly #equal = new EqualResults()

  /** Replaces the results within the event by equal ones from before. */
  share(event: EpisodeFinished | TestsWritten): void {
    if (event.type === 'tests-written') for (const ofProgram of event.results) this.#replace(ofProgram)
    else for (const { tests } of event.steps) if (tests) this.#replace(tests)
  }

  #replace(results: (TestResult | null)[]): void {
    for (const [index, result] of results.entries()) if (result !== null) results[index] = this.#equal.first(result)
  }
}
