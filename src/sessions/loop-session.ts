/**
 * A run under way: drives the loop, keeps its log and its checkpoints, and lets people pause, step, change and stop it.
 *
 * Pausing is not pulling: the loop is a generator, so it rests at the next event. A step of one component alone needs
 * another request to the loop, so the generator is left at the end of an iteration and a new one takes up the log there;
 * for the log that makes no difference (loop-state.ts).
 */
import {
  isLogged,
  type EphemeralEvent,
  type LoggedEvent,
  type RunEvent,
  type TimingsMeasured,
} from '../method/events.ts'
import type { Component, LoopPorts, LoopRequest, RunLoop } from '../method/loop-contract.ts'
import { applyPatch, type LivePatch, type Settings } from '../method/settings.ts'
import type { RunStore } from '../runs/run-store.ts'
import { stateEvent } from '../runs/state-event.ts'

export type SessionState = 'running' | 'pausing' | 'paused' | 'completed' | 'stopped'

export interface SessionOptions {
  loop: RunLoop
  ports: LoopPorts
  request: Pick<LoopRequest, 'runId' | 'preset' | 'backend' | 'models' | 'settings'>
  /** Iterations to run from here. */
  iterations: number
  store: RunStore
  /** Iterations between checkpoints in the store; 0 saves none unless asked. */
  checkpointEvery: number
  /** The run so far, when it goes on; the models hold the weights that belong to its end. */
  history?: readonly LoggedEvent[]
  isPausedAtStart?: boolean
  /** The store gives the log back, so what only people read of it is let go of here once it is stored (state-event.ts). */
  forgetsStored?: boolean
  onEvent(event: RunEvent): void
  onState?(state: SessionState): void
  /** The run goes on when it cannot be kept. Without this, a store that fails ends it. */
  onStoreFailure?(error: unknown): void
}

/** Logged events that may wait before they are handed to the store. */
const EVENTS_PER_CHUNK = 256

type StepRequest = { only: Component | undefined }

export class LoopSession {
  readonly #options: SessionOptions
  readonly #log: LoggedEvent[]
  readonly #abort = new AbortController()
  #stored: number
  #settings: Settings
  #patch: LivePatch | null = null
  #remaining: number
  #isPaused: boolean
  #steps: StepRequest[] = []
  #wake: (() => void) | null = null
  #isSaveRequested = false
  /** Ends of the log that no iteration is cut by: the checkpoint there would fit. */
  #isBetweenIterations = true

  constructor(options: SessionOptions) {
    this.#options = options
    this.#log = [...(options.history ?? [])]
    this.#stored = this.#log.length
    this.#remaining = options.iterations
    this.#isPaused = options.isPausedAtStart ?? false
    this.#settings = currentSettings(options.request.settings, this.#log)
  }

  /** Event n at index n; see `forgetsStored`. */
  get log(): readonly LoggedEvent[] {
    return this.#log
  }

  get iteration(): number {
    return this.#log.findLast((event) => event.type === 'iteration-finished')?.iteration ?? 0
  }

  /** Runs to the end. Rejects when a port fails; what was logged until then has been kept. */
  async run(): Promise<'completed' | 'stopped'> {
    this.#announce(this.#isPaused ? 'paused' : 'running')
    try {
      for (;;) {
        await this.#whileHeld()
        const only = this.#abort.signal.aborted ? undefined : this.#steps[0]?.only
        const reason = await this.#runSegment(only)
        if (reason === null) continue
        await this.#store(() => this.#options.store.finish(this.#options.request.runId))
        this.#announce(reason)
        return reason
      }
    } finally {
      await this.#flush()
    }
  }

  /** Runs iterations of one kind. Null at the end of an iteration after which another kind is due. */
  async #runSegment(only: Component | undefined): Promise<'completed' | 'stopped' | null> {
    const { loop, ports, request } = this.#options
    const events = loop(ports, {
      ...request,
      iterations: only === undefined ? this.#remaining : Math.min(1, this.#remaining),
      ...(only === undefined ? {} : { only }),
      history: [...this.#log],
      takePatch: () => this.#takePatch(),
      signal: this.#abort.signal,
    })
    for await (const event of events) {
      if (event.type === 'iteration-started') this.#isBetweenIterations = false
      if (isLogged(event)) this.#log.push(event)
      this.#options.onEvent(event)
      if (this.#log.length - this.#stored >= EVENTS_PER_CHUNK) await this.#flush()
      if (event.type === 'timings') await this.#saveTimings(event)
      if (event.type === 'run-finished') return event.reason
      if (event.type === 'iteration-finished') {
        await this.#finishIteration(event.iteration, only)
        const isOtherDue = this.#steps.length > 0 && this.#steps[0]?.only !== only
        if (!this.#abort.signal.aborted && (only !== undefined || isOtherDue)) return null
      }
      await this.#whileHeld()
      // The step that ended the wait may be of one component, which only a new segment can run.
      if (event.type === 'iteration-finished' && this.#steps[0]?.only !== only && !this.#abort.signal.aborted)
        return null
    }
    throw new Error('The loop ended without saying so; its last event must be run-finished.')
  }

  async #finishIteration(iteration: number, only: Component | undefined): Promise<void> {
    this.#isBetweenIterations = true
    this.#remaining--
    if (this.#steps[0] !== undefined && this.#steps[0].only === only) this.#steps.shift()
    await this.#flush()
    const every = this.#options.checkpointEvery
    const isDue = every > 0 && (iteration % every === 0 || this.#remaining === 0)
    if (isDue || this.#isSaveRequested) await this.#saveCheckpoint(iteration)
  }

  async #saveTimings({ iteration, metrics }: EphemeralEvent & TimingsMeasured): Promise<void> {
    const { store, request } = this.#options
    if (store.saveTimings === undefined) return
    // The iteration's row is there when its events are.
    await this.#flush()
    await this.#store(() => store.saveTimings!(request.runId, iteration, metrics))
  }

  pause(): void {
    if (this.#isPaused || this.#abort.signal.aborted) return
    this.#isPaused = true
    this.#steps = []
    this.#announce('pausing')
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#steps = []
    this.#announce('running')
    this.#wake?.()
  }

  /** Runs to the end of an iteration, then pauses. `only` trains or adapts that component alone, in an iteration of its own. */
  stepOnce(only?: Component): void {
    this.#isPaused = true
    this.#steps.push({ only })
    this.#announce('running')
    this.#wake?.()
  }

  /** Ends the run; what the iteration under way has done does not count. */
  stop(): void {
    this.#abort.abort(new DOMException('The run was stopped.', 'AbortError'))
    this.#wake?.()
  }

  /** Takes effect at the next iteration. Throws SettingsError for values that cannot be. */
  patch(patch: LivePatch): void {
    this.#settings = applyPatch(this.#settings, patch)
    this.#patch = { ...this.#patch, ...patch }
  }

  /** Saves now if no iteration is under way, else when it has ended. */
  async saveCheckpoints(): Promise<void> {
    if (this.#isBetweenIterations && this.#isPaused) await this.#saveCheckpoint(this.iteration)
    else this.#isSaveRequested = true
  }

  #takePatch(): LivePatch | null {
    const patch = this.#patch
    this.#patch = null
    return patch
  }

  async #saveCheckpoint(iteration: number): Promise<void> {
    this.#isSaveRequested = false
    const { ports, request, store } = this.#options
    const eventCount = this.#log.length
    const [policy, reward] = await Promise.all([ports.policy.saveCheckpoint(), ports.reward.saveCheckpoint()])
    await this.#store(() => store.saveCheckpoint({ runId: request.runId, iteration, eventCount, policy, reward }))
  }

  async #flush(): Promise<void> {
    const from = this.#stored
    const events = this.#log.slice(from)
    if (events.length === 0) return
    this.#stored = this.#log.length
    const isStored = await this.#store(() => this.#options.store.append(this.#options.request.runId, events))
    if (isStored && this.#options.forgetsStored)
      events.forEach((event, i) => {
        this.#log[from + i] = stateEvent(event)
      })
  }

  /** Whether it worked. */
  async #store(write: () => Promise<void>): Promise<boolean> {
    try {
      await write()
      return true
    } catch (error) {
      if (this.#options.onStoreFailure === undefined) throw error
      this.#options.onStoreFailure(error)
      return false
    }
  }

  async #whileHeld(): Promise<void> {
    while (this.#isPaused && this.#steps.length === 0 && !this.#abort.signal.aborted) {
      // Before anything is awaited, or a resume meanwhile would wake nobody.
      const woken = new Promise<void>((resolve) => (this.#wake = resolve))
      await this.#flush()
      this.#announce('paused')
      await woken
      this.#wake = null
    }
  }

  #announce(state: SessionState): void {
    this.#options.onState?.(state)
  }
}

function currentSettings(initial: Settings, log: readonly LoggedEvent[]): Settings {
  return log.reduce((settings, event) => {
    if (event.type === 'run-started') return event.settings
    return event.type === 'settings-changed' ? applyPatch(settings, event.patch) : settings
  }, initial)
}
