/**
 * A judge in a worker that survives its worker. The judge's own limits stop every program that is known to be able to run;
 * this is for what is not known: a thread that dies or hangs takes one program with it, and the next one finds a new thread.
 *
 * One program at a time is with the worker, so that it is clear which one was at hand. The clock of `wallMs` starts when it
 * is sent to a worker that is ready.
 */
import type { Judge } from './judge.ts'
import type { JudgeJob, JudgePort, JudgeResult, Verdict } from './verdict.ts'
import { WorkerLostError } from '../../../threads/errors.ts'
import type { Bridge } from '../../../threads/worker-bridge.ts'

interface SupervisedJudgeOptions {
  startWorker(): Bridge<Judge>
  /** A program took the worker with it, or the worker died while none ran; another one takes its place. */
  onLoss?(loss: WorkerLostError): void
}

/** Workers that may die while they load, one after the other, before it is no use to go on. */
const MOST_FAILED_STARTS = 3

export class SupervisedJudge implements JudgePort {
  readonly #options: SupervisedJudgeOptions
  #bridge: Bridge<Judge> | null = null
  /** The bridge whose worker can judge at once. */
  #loaded: Bridge<Judge> | null = null
  /** Settles when the worker is free; it never rejects. */
  #lastTurn: Promise<unknown> = Promise.resolve()
  /** A program is with the worker, or waits for it to load. */
  #isAwaited = false
  #isClosed = false

  constructor(options: SupervisedJudgeOptions) {
    this.#options = options
  }

  /**
   * Rejects with the signal's reason once that is aborted; the program at hand is left to its limits. Throws a
   * WorkerLostError if no worker can be started or the judge was closed, and what the judge throws for a bad job.
   */
  async judge(jobs: readonly JudgeJob[], signal?: AbortSignal): Promise<JudgeResult[]> {
    const results: JudgeResult[] = []
    for (const job of jobs) {
      signal?.throwIfAborted()
      const turn = this.#lastTurn.then(() => {
        signal?.throwIfAborted()
        return this.#judgeOne(job)
      })
      this.#lastTurn = turn.catch(() => {})
      results.push(await unlessAborted(turn, signal))
    }
    return results
  }

  /** Ends the worker; calls under way reject. */
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
    // One that dies between two programs must not be taken for what the next one did. With one at hand, or while it
    // loads, whoever waits for it hears of it.
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

/** Ends the worker when its time is up. */
function watch(bridge: Bridge<Judge>, milliseconds: number) {
  let hasBitten = false
  let timer = setTimeout(() => {
    // Late, if this thread was busy itself. Then the answer may be here already: it goes first.
    timer = setTimeout(() => {
      hasBitten = true
      bridge.terminate()
    })
  }, milliseconds)
  return { hasBitten: () => hasBitten, stop: () => clearTimeout(timer) }
}

async function unlessAborted<Result>(work: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (signal === undefined) return work
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
