/** The benchmark in this tab: its state, its measurements and the machine. */
import { errorText } from '../../../threads/error-text.ts'
import type { Machine } from '../../../bench/machine.ts'
import type { Measurement, SuiteName } from '../../../bench/suite.ts'
import type { Bridge } from '../../../threads/worker-bridge.ts'
import type { BenchWorker } from '../../../../workers/bench.ts'
import type { OpenBench } from '../../state/workers/bench-worker.ts'

type BenchmarkState =
  | { state: 'idle' }
  | { state: 'running'; suite: SuiteName; progress: string }
  | { state: 'finished' }
  | { state: 'cancelled' }
  | { state: 'failed'; suite: SuiteName; why: string }

export class Benchmark {
  readonly #open: OpenBench
  #machine = $state.raw<Machine | null>(null)
  #machineProblem = $state.raw<string | null>(null)
  #measurements = $state.raw<readonly Measurement[]>([])
  #state = $state.raw<BenchmarkState>({ state: 'idle' })
  #worker: Bridge<BenchWorker> | null = null

  constructor(open: OpenBench) {
    this.#open = open
  }

  /** Null until it is known. */
  get machine(): Machine | null {
    return this.#machine
  }
  /** Why the machine could not be examined. */
  get machineProblem(): string | null {
    return this.#machineProblem
  }
  get measurements(): readonly Measurement[] {
    return this.#measurements
  }
  get state(): BenchmarkState {
    return this.#state
  }

  async look(): Promise<void> {
    const worker = this.#open()
    try {
      this.#machine = await worker.remote.machine()
    } catch (cause) {
      this.#machineProblem = errorText(cause)
    } finally {
      worker.terminate()
    }
  }

  /** Runs suites one after another; each replaces its earlier measurements. */
  async run(suites: readonly SuiteName[]): Promise<void> {
    if (this.#state.state === 'running') return
    for (const suite of suites) {
      this.#measurements = this.#measurements.filter((measurement) => measurement.suite !== suite)
      this.#state = { state: 'running', suite, progress: 'Starting' }
      const worker = this.#open()
      this.#worker = worker
      try {
        await worker.remote.run(
          suite,
          (measurement) => {
            if (this.#worker === worker) this.#measurements = [...this.#measurements, measurement]
          },
          (progress) => {
            if (this.#worker === worker) this.#state = { state: 'running', suite, progress }
          },
        )
      } catch (cause) {
        // Ignore the error of a worker that `cancel` ended.
        if (this.#worker === worker) this.#state = { state: 'failed', suite, why: errorText(cause) }
        return
      } finally {
        worker.terminate()
      }
    }
    this.#worker = null
    this.#state = { state: 'finished' }
  }

  /** Stops at once and keeps the measurements so far. */
  cancel(): void {
    if (this.#state.state !== 'running') return
    this.#state = { state: 'cancelled' }
    const worker = this.#worker
    this.#worker = null
    worker?.terminate()
  }
}
