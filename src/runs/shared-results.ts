/**
 * Keeps equal results of programs on tests once. A log of the coding world has 6,000 results an iteration, of which few differ, and
 * whoever reads or receives it makes an object with two strings of each.
 */
import type { EpisodeFinished, TestsWritten } from '../method/events.ts'
import type { TestResult } from '../method/ports.ts'

/** Results that are remembered; then it starts again, since those of released iterations need not be kept. */
const MOST_RESULTS = 10_000

export class SharedResults {
  readonly #known = new Map<string, TestResult>()

  /** Replaces the results within the event by equal ones from before. */
  share(event: EpisodeFinished | TestsWritten): void {
    if (event.type === 'tests-written') for (const ofProgram of event.results) this.#replace(ofProgram)
    else for (const { tests } of event.steps) if (tests) this.#replace(tests)
  }

  #replace(results: (TestResult | null)[]): void {
    for (const [index, result] of results.entries()) if (result !== null) results[index] = this.#first(result)
  }

  #first(result: TestResult): TestResult {
    const key = `${result.passed} ${result.isVoid} ${result.verdict}\n${result.detail}`
    const first = this.#known.get(key)
    if (first !== undefined) return first
    if (this.#known.size === MOST_RESULTS) this.#known.clear()
    this.#known.set(key, result)
    return result
  }
}
