/** Which runs are compared with the one on show, and the rows of that one. */
import type { MetricRow } from '../../runs/metric-rows.ts'
import { comparedRuns, type Compared } from '../run/compare.ts'
import type { KeptRunList } from './kept-runs.svelte.ts'

export class Comparison {
  readonly #runs: KeptRunList
  #joinsSeeds = $state.raw(true)
  #shownRows = $state.raw<readonly MetricRow[]>([])
  #ticket = 0
  readonly #compared = $derived.by(() => comparedRuns(this.#runs.chosen, this.#joinsSeeds))

  constructor(runs: KeptRunList) {
    this.#runs = runs
  }

  get compared(): readonly Compared[] {
    return this.#compared
  }
  /** Whether runs that differ in their seed alone are shown as mean and interval. */
  get joinsSeeds(): boolean {
    return this.#joinsSeeds
  }
  /** Empty where the run on show is not kept. */
  get shownRows(): readonly MetricRow[] {
    return this.#shownRows
  }

  joinSeeds(isWished: boolean): void {
    this.#joinsSeeds = isWished
  }

  /** Reads the rows of the run on show again; null where none is kept. */
  async show(runId: string | null): Promise<void> {
    const ticket = ++this.#ticket
    const rows = runId === null ? [] : await this.#runs.rows(runId).catch(() => [])
    if (ticket === this.#ticket) this.#shownRows = rows
  }
}
