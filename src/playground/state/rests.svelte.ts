/** Rests of a run whose device has become slow: pauses it, and resumes it after a while. */
import type { RunStatus } from '../../sessions/loop-service.ts'
import { Pace } from './pace.ts'

export const REST_MS = 60_000

export interface RestingRun {
  pause(): unknown
  resume(): unknown
}

type State =
  | { at: 'work' }
  /** The pause was requested. */
  | { at: 'pausing' }
  | { at: 'rest'; timer: ReturnType<typeof setTimeout> }

export class Rests {
  readonly #run: RestingRun
  #state = $state.raw<State>({ at: 'work' })
  #runId: string | null = null
  #pace = new Pace()

  constructor(run: RestingRun) {
    this.#run = run
  }

  get isResting(): boolean {
    return this.#state.at === 'rest'
  }

  /** Takes the timings of an iteration that has ended. */
  measure(runId: string, timings: Readonly<Record<string, number>>): void {
    if (runId !== this.#runId) {
      this.end()
      this.#runId = runId
      this.#pace = new Pace()
    }
    const tokensPerSecond = timings['perf/tokens_per_s']
    if (tokensPerSecond === undefined) return
    if (!this.#pace.take(tokensPerSecond) || this.#state.at !== 'work') return
    this.#state = { at: 'pausing' }
    this.#run.pause()
  }

  /** Follows the run, which its reader may resume, stop or pause themselves. */
  follow(state: RunStatus['state']): void {
    if (this.#state.at === 'pausing' && state === 'paused') {
      const timer = setTimeout(() => {
        this.#state = { at: 'work' }
        this.#run.resume()
      }, REST_MS)
      this.#state = { at: 'rest', timer }
    } else if (state !== 'paused' && state !== 'pausing') this.end()
  }

  /** Rests no longer: a requested pause is taken back, and a run that rests continues. */
  cancel(): void {
    const { at } = this.#state
    this.end()
    if (at !== 'work') this.#run.resume()
  }

  /** Ends the rest without resuming the run. */
  end(): void {
    if (this.#state.at === 'rest') clearTimeout(this.#state.timer)
    this.#state = { at: 'work' }
  }
}
