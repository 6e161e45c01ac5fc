/** The matrices of the kept runs: which there are, which one is on show, and what its runs came to, read run by run. */
import type { MetricRow } from '../../../runs/metric-rows.ts'
import type { RunSummary } from '../../../runs/run-store.ts'
import {
  ablationMatrix,
  experimentsOf,
  isComplete,
  runOutcome,
  startOutcome,
  type AblationMatrix,
  type Experiment,
  type Outcome,
} from './ablation-matrix.ts'

type ReadRun = { start: Outcome; end: Outcome }

export interface RunRows {
  entries: readonly RunSummary[] | null
  rows(runId: string): Promise<readonly MetricRow[]>
}

export class AblationRuns {
  readonly #runs: RunRows
  #chosen = $state.raw<string | null>(null)
  /** By complete run. Its rows are read once, a few numbers of them are kept. */
  #read = $state.raw<Readonly<Record<string, ReadRun>>>({})
  #unreadable = $state.raw<readonly string[]>([])
  #isReading = false
  readonly #experiments = $derived.by(() => experimentsOf(this.#runs.entries ?? []))
  readonly #shown = $derived(this.#experiments.find(({ key }) => key === this.#chosen) ?? this.#experiments[0] ?? null)
  readonly #matrix = $derived.by(() =>
    this.#shown === null ? null : ablationMatrix(this.#shown, (runId) => this.#readOf(runId)),
  )

  constructor(runs: RunRows) {
    this.#runs = runs
  }

  /** The latest first. */
  get experiments(): readonly Experiment[] {
    return this.#experiments
  }
  /** The one that was chosen, else the latest; null where no runs make a matrix. */
  get shown(): Experiment | null {
    return this.#shown
  }
  get matrix(): AblationMatrix | null {
    return this.#matrix
  }
  /** Complete runs of the shown one whose numbers could not be read; they are missing from the matrix. */
  get unreadable(): number {
    return this.#shown?.runs.filter(({ runId }) => this.#unreadable.includes(runId)).length ?? 0
  }

  choose(key: string): void {
    this.#chosen = key
  }

  /** Reads what the shown matrix lacks, one run in a task. */
  async read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      for (let run = this.#missing(); run !== undefined; run = this.#missing()) await this.#readRun(run)
    } finally {
      this.#isReading = false
    }
  }

  #missing(): RunSummary | undefined {
    return this.#shown?.runs.find(
      (run) => isComplete(run) && !(run.runId in this.#read) && !this.#unreadable.includes(run.runId),
    )
  }

  async #readRun({ runId }: RunSummary): Promise<void> {
    try {
      const rows = await this.#runs.rows(runId)
      this.#read = { ...this.#read, [runId]: { start: startOutcome(rows), end: runOutcome(rows) } }
    } catch {
      this.#unreadable = [...this.#unreadable, runId]
    }
  }

  #readOf(runId: string): ReadRun | null {
    return this.#read[runId] ?? null
  }
}
