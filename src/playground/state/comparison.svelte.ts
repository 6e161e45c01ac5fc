/** Which runs are compared with the run on show, and the rows of the latter. */
import type { MetricRow } from '../../runs/metric-rows.ts'
import { comparedRuns, type Compared } from '../run/compare.ts'
import type { KeptRunList } from './kept-runs.svelte.ts'

export class Comparison {
  readonly #runs: KeptRunList
  #joinsSeeds = $state.raw(true)
  #shownRows = $state.raw<readonly MetricRow[]>([])
  /** The run whose rows these are, or will be. */
  #shownId: string | null = null
  #ticket = 0
  readonly #compared = $derived.by(() => comparedRuns(this.#runs.chosen, this.#joinsSeeds))

  constructor(runs: KeptRunList) {
    this.#runs = runs
  }

  get compared(): readonly Compared[] {
    return this.#compared
  }
  /** Whether runs that differ only in their seed are shown as mean and interval. */
  get joinsSeeds(): boolean {
    return this.#joinsSeeds
  }
  /** Empty if the run on show is not kept. */
  get shownRows(): readonly MetricRow[] {
    return this.#shownRows
  }

  joinSeeds(isJoined: boolean): void {
    this.#joinsSeeds = isJoined
  }

  /** Reads the rows of the run on show; null if it is not kept. An effect that calls this runs again for new rows. */
  async show(runId: string | null): Promise<void> {
    // A new iteration adds a row, and changes the list of kept runs.
    void this.#runs.entries
    const ticket = ++this.#ticket
    // Until the new ones are read, the rows of another run would be taken for those of this one.
    if (runId !== this.#shownId) this.#shownRows = []
    this.#shownId = runId
    const rows = runId === null ? [] : await this.#runs.rows(runId).catch(() => [])
    if (ticket === this.#ticket) this.#shownRows = rows
  }
}
