/**
 * A judge in a worker, which it replaces if the worker dies or hangs. The judge's own limits stop every kind of program that
 * we know; this is for the unknown. A lost thread fails only the program that it was running.
 *
 * The worker has one program at a time, so it is clear which one was running. The clock of `wallMs` starts when the program is
 * sent to a worker that is ready.
 */
import { Turns } from '../../../method/turns.ts'
import { unlessAborted } from '../../../method/unless-aborted.ts'
import type { Judge } from './judge.ts'
import type { JudgeJob, JudgePort, JudgeResult, Verdict } from './verdict.ts'
import { WorkerLostError } from '../../../threads/errors.ts'
import type { Bridge } from '../../../threads/worker-bridge.ts'

interface SupervisedJudgeOptions {
  startWorker(): Bridge<Judge>
  /** Called when the worker died, with or without a program running. Another worker replaces it. */
  onLoss?(loss: WorkerLostError): void
}

/** Consecutive workers that may die while loading before the judge gives up. */
const MOST_FAILED_STARTS = 3

export class SupervisedJudge implements JudgePort {
  readonly #options: SupervisedJudgeOptions
  #bridge: Bridge<Judge> | null = null
  /** The bridge whose worker is ready. */
  #loaded: Bridge<Judge> | null = null
  readonly #turns = new Turns()
  /** A program is running in the worker or waiting for it to load. */
  #isAwaited = false
  #isClosed = false

  constructor(options: SupervisedJudgeOptions) {
    this.#options = options
  }

  /**
   * Rejects with the signal's reason once it is aborted; the running program continues up to its limits. Throws a
   * WorkerLostError if no worker can be started or the judge was closed, and the judge's error for an invalid job.
   */
  async judge(jobs: readonly JudgeJob[], signal?: AbortSignal): Promise<JudgeResult[]> {
    const results: JudgeResult[] = []
    for (const job of jobs) {
      signal?.throwIfAborted()
      const turn = this.#turns.take(async () => {
        signal?.throwIfAborted()
        return this.#judgeOne(job)
      })
      results.push(await unlessAborted(turn, signal))
    }
    return results
  }

  /** Ends the worker. Pending calls reject. */
  close(): void {
    this.#isClosed = true
    this.#bridge?.terminate()
  }

  async #judgeOne(job: JudgeJob): Promise<JudgeResult> {
    this.#isAwaited = true
    try {
      return await this.#judgeAwaited(job)
    } finally {
      this.#isAwaited = false
    }
  }

  async #judgeAwaited(job: JudgeJob): Promise<JudgeResult> {
    const bridge = await this.#ready()
    const watchdog = watch(bridge, job.limits.wallMs)
    try {
      return await bridge.remote.judge(job)
    } catch (error) {
      if (!(error instanceof WorkerLostError) || this.#isClosed) throw error
      this.#bridge = null
      this.#options.onLoss?.(error)
      const verdict: Verdict = watchdog.hasBitten()
        ? { kind: 'time limit', by: 'clock', executedMs: 0 }
        : { kind: 'runtime error', message: `it broke the thread that ran it (${error.reason})`, executedMs: 0 }
      return job.tests.map(() => verdict)
    } finally {
      watchdog.stop()
    }
  }

  #start(): Bridge<Judge> {
    const bridge = this.#options.startWorker()
    // Handles a worker that dies between two programs, so that the next program is not blamed. While a program runs or
    // the worker loads, the caller sees the error.
    void bridge.lost.then((loss) => {
      if (this.#bridge !== bridge || this.#isAwaited || this.#isClosed) return
      this.#bridge = null
      this.#options.onLoss?.(loss)
    })
    return bridge
  }

  async #ready(): Promise<Bridge<Judge>> {
    for (let failures = 1; ; failures++) {
      if (this.#isClosed) throw new WorkerLostError('judge', 'it was closed')
      const bridge = (this.#bridge ??= this.#start())
      if (this.#loaded === bridge) return bridge
      try {
        await bridge.remote.load()
        this.#loaded = bridge
      } catch (error) {
        if (!(error instanceof WorkerLostError)) throw error
        this.#bridge = null
        if (failures === MOST_FAILED_STARTS || this.#isClosed) throw error
        this.#options.onLoss?.(error)
      }
    }
  }
}

/** Ends the worker after a time limit. */
function watch(bridge: Bridge<Judge>, milliseconds: number) {
  let hasBitten = false
  let timer = setTimeout(() => {
    // If this thread was busy, the timer is late and the answer may already be queued. Lets it go first.
    timer = setTimeout(() => {
      hasBitten = true
      bridge.terminate()
    })
  }, milliseconds)
  return { hasBitten: () => hasBitten, stop: () => clearTimeout(timer) }
}
