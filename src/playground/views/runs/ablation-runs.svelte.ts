/** The ablation matrices of the kept runs and the shown one, whose runs are read one by one. */
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

interface RunRows {
  entries: readonly RunSummary[] | null
  rows(runId: string): Promise<readonly MetricRow[]>
}

export class AblationRuns {
  readonly #runs: RunRows
  #chosen = $state.raw<string | null>(null)
  /** Results of complete runs. Rows are read once and not kept. */
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

  /** Newest first. */
  get experiments(): readonly Experiment[] {
    return this.#experiments
  }
  /** The chosen experiment, else the newest; null if there is none. */
  get shown(): Experiment | null {
    return this.#shown
  }
  get matrix(): AblationMatrix | null {
    return this.#matrix
  }
  /** How many complete runs of the shown experiment could not be read; the matrix lacks them. */
  get unreadable(): number {
    return this.#shown?.runs.filter(({ runId }) => this.#unreadable.includes(runId)).length ?? 0
  }

  choose(key: string): void {
    this.#chosen = key
  }

  /** Reads the runs that the shown matrix lacks, one after another. */
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
