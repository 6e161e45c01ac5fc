/**
 * A running loop: drives it, stores its log and checkpoints, and can pause, step, change and stop it.
 *
 * To pause, it stops pulling: the loop is a generator, so it rests at the next event. A step of one component alone needs a
 * different request, so the session leaves the generator at the end of an iteration and starts a new one from the log; the
 * log is the same either way (loop-state.ts). So it does to exchange a model.
 */
import {
  isLogged,
  type EphemeralEvent,
  type LoggedEvent,
  type ModelReplaced,
  type RunEvent,
  type TimingsMeasured,
} from '../method/events.ts'
import type { Component, LoopPorts, LoopRequest, RunLoop } from '../method/loop-contract.ts'
import type { Role } from '../method/ports.ts'
import { applyPatch, type LivePatch, type Settings } from '../method/settings.ts'
import type { RunCheckpoint, RunStore } from '../runs/run-store.ts'
import { stateEvent } from '../runs/state-event.ts'
import type { SwapResult } from './messages.ts'

export type SessionState = 'running' | 'pausing' | 'paused' | 'completed' | 'stopped'

export interface SessionOptions {
  loop: RunLoop
  ports: LoopPorts
  request: Pick<LoopRequest, 'runId' | 'preset' | 'backend' | 'models' | 'settings' | 'fixedTrajectories' | 'worldFile'>
  /** Iterations to run from here. */
  iterations: number
  store: RunStore
  /**
   * Iterations between checkpoints in the store, beside the first and one where the run pauses or ends; 0 saves only on request.
   */
  checkpointEvery: number
  /** The log of a resumed run; the models hold the weights that belong to its end. */
  history?: readonly LoggedEvent[]
  isPausedAtStart?: boolean
  /** The store can return the log, so free here what the loop does not read once it is stored (state-event.ts). */
  forgetsStored?: boolean
  onEvent(event: RunEvent): void
  onState?(state: SessionState): void
  /** If set, the run continues when storing fails; otherwise the failure ends it. */
  onStoreFailure?(error: unknown): void
}

/** Another model for a role, between two iterations. */
export interface ModelExchange {
  role: Role
  /** Its name in the log. */
  model: string
  /** Opens the models anew, and stores `event` with them if the other is among them. Rejects if the run cannot continue. */
  open(
    event: LoggedEvent & ModelReplaced,
    before: RunCheckpoint,
    signal: AbortSignal,
  ): Promise<{ ports: LoopPorts; result: SwapResult }>
}

interface PendingExchange {
  exchange: ModelExchange
  settle(result: SwapResult): void
}

/** Most logged events that may be pending before they are stored. */
const EVENTS_PER_CHUNK = 256

type StepRequest = { only: Component | undefined }

export class LoopSession {
  readonly #options: SessionOptions
  readonly #log: LoggedEvent[]
  readonly #abort = new AbortController()
  #ports: LoopPorts
  #exchanges: PendingExchange[] = []
  #stored: number
  /** Length of the log when storing was tried last; a failed try is repeated with the next events. */
  #tried: number
  #settings: Settings
  #patch: LivePatch | null = null
  #remaining: number
  #isPaused: boolean
  #steps: StepRequest[] = []
  #wake: (() => void) | null = null
  #isSaveRequested = false
  #hasCheckpoint: boolean
  /** Between iterations, a checkpoint fits the log. */
  #isBetweenIterations = true

  constructor(options: SessionOptions) {
    this.#options = options
    this.#ports = options.ports
    this.#log = [...(options.history ?? [])]
    this.#stored = this.#tried = this.#log.length
    this.#remaining = options.iterations
    // A run is resumed from one.
    this.#hasCheckpoint = options.history !== undefined
    this.#isPaused = options.isPausedAtStart ?? false
    this.#settings = currentSettings(options.request.settings, this.#log)
  }

  /** Event n at index n; see `forgetsStored`. */
  get log(): readonly LoggedEvent[] {
    return this.#log
  }

  /** With all changes, also those that wait for the next iteration. */
  get settings(): Settings {
    return this.#settings
  }

  /** Whether the run can be resumed from the store. */
  get hasCheckpoint(): boolean {
    return this.#hasCheckpoint
  }

  get iteration(): number {
    return this.#log.findLast((event) => event.type === 'iteration-finished')?.iteration ?? 0
  }

  /** Runs to the end. Rejects when a port fails, after storing what was logged until then. */
  async run(): Promise<'completed' | 'stopped'> {
    this.#announce(this.#isPaused ? 'paused' : 'running')
    try {
      for (;;) {
        await this.#exchangeModels()
        await this.#whileHeld()
        if (this.#isExchangeDue) continue
        const only = this.#abort.signal.aborted ? undefined : this.#steps[0]?.only
        const reason = await this.#runSegment(only)
        if (reason === null) continue
        await this.#store(() => this.#options.store.finish(this.#options.request.runId))
        this.#announce(reason)
        return reason
      }
    } finally {
      for (const { settle } of this.#exchanges) settle({ state: 'dropped' })
      await this.#flush()
    }
  }

  /** Runs iterations of one kind. Null at the end of an iteration if the next one is of another kind. */
  async #runSegment(only: Component | undefined): Promise<'completed' | 'stopped' | null> {
    const { loop, request } = this.#options
    const events = loop(this.#ports, {
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
      if (this.#log.length - this.#tried >= EVENTS_PER_CHUNK) await this.#flush()
      if (event.type === 'timings') await this.#saveTimings(event)
      if (event.type === 'run-finished') return event.reason
      if (event.type === 'iteration-finished') {
        await this.#finishIteration(event.iteration, only)
        const isOtherDue = this.#steps.length > 0 && this.#steps[0]?.only !== only
        if (!this.#abort.signal.aborted && (only !== undefined || isOtherDue)) return null
      }
      await this.#whileHeld()
      if (this.#isExchangeDue) return null
      // The step that ended the pause may train one component, which requires a new segment.
      if (event.type === 'iteration-finished' && this.#steps[0]?.only !== only && !this.#abort.signal.aborted)
        return null
    }
    throw new Error('The loop ended without run-finished, which must be its last event.')
  }

  async #finishIteration(iteration: number, only: Component | undefined): Promise<void> {
    this.#isBetweenIterations = true
    this.#remaining--
    if (this.#steps[0] !== undefined && this.#steps[0].only === only) this.#steps.shift()
    await this.#flush()
    const every = this.#options.checkpointEvery
    // A run that pauses may be left so: it has to be resumable from here. Before there is any checkpoint, all of it could be lost.
    const isPausing = this.#isPaused && this.#steps.length === 0
    const isDue = iteration % every === 0 || this.#remaining === 0 || isPausing || !this.#hasCheckpoint
    if ((every > 0 && isDue) || this.#isSaveRequested) await this.#saveCheckpoint(iteration)
  }

  async #saveTimings({ iteration, metrics }: EphemeralEvent & TimingsMeasured): Promise<void> {
    const { store, request } = this.#options
    if (store.saveTimings === undefined) return
    // Timings go into the iteration's row, which exists once its events are stored.
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

  /** Runs to the end of an iteration, then pauses. `only` trains or adapts that component alone, in its own iteration. */
  stepOnce(only?: Component): void {
    this.#isPaused = true
    this.#steps.push({ only })
    this.#announce('running')
    this.#wake?.()
  }

  /** Ends the run; the current iteration does not count. */
  stop(): void {
    this.#abort.abort(new DOMException('The run was stopped.', 'AbortError'))
    this.#wake?.()
  }

  /** Takes effect at the next iteration. Throws SettingsError for invalid values. */
  patch(patch: LivePatch): void {
    this.#settings = applyPatch(this.#settings, patch)
    this.#patch = { ...this.#patch, ...patch }
  }

  /** Another model takes a role between this iteration and the next, in place of an earlier wish for the role. */
  replaceModel(exchange: ModelExchange): Promise<SwapResult> {
    const isOther = ({ exchange: { role } }: PendingExchange) => role !== exchange.role
    for (const pending of this.#exchanges) if (!isOther(pending)) pending.settle({ state: 'dropped' })
    return new Promise((settle) => {
      this.#exchanges = [...this.#exchanges.filter(isOther), { exchange, settle }]
      this.#wake?.()
    })
  }

  /** A run without a finished iteration has nothing to open its models again with. */
  get #isExchangeDue(): boolean {
    const isWanted = this.#exchanges.length > 0 && this.#remaining > 0 && !this.#abort.signal.aborted
    return isWanted && this.#isBetweenIterations && this.iteration > 0
  }

  async #exchangeModels(): Promise<void> {
    while (this.#isExchangeDue) {
      const { exchange, settle } = this.#exchanges.shift()!
      try {
        settle(await this.#exchangeModel(exchange))
      } catch (error) {
        settle({ state: 'dropped' })
        // A stopped run ends by its own event.
        if (!this.#abort.signal.aborted) throw error
      }
      if (!this.#isPaused || this.#steps.length > 0) this.#announce('running')
    }
  }

  async #exchangeModel({ role, model, open }: ModelExchange): Promise<SwapResult> {
    await this.#flush()
    const seq = this.#log.length
    // The change is stored right after what was logged until now.
    if (this.#stored < seq) return { state: 'kept', why: 'The browser could not store the run so far.' }
    const before = await this.#saveCheckpoint(this.iteration)
    const event = { type: 'model-replaced' as const, role, model, seq, iteration: this.iteration + 1 }
    const { ports, result } = await open(event, before, this.#abort.signal)
    this.#ports = ports
    if (result.state !== 'swapped') return result
    this.#log.push(event)
    this.#stored = this.#tried = this.#log.length
    this.#options.onEvent(event)
    return result
  }

  /** Saves now between iterations, else at the end of the current one. */
  async saveCheckpoints(): Promise<void> {
    if (this.#isBetweenIterations && this.#isPaused) await this.#saveCheckpoint(this.iteration)
    else this.#isSaveRequested = true
  }

  #takePatch(): LivePatch | null {
    const patch = this.#patch
    this.#patch = null
    return patch
  }

  async #saveCheckpoint(iteration: number): Promise<RunCheckpoint> {
    this.#isSaveRequested = false
    const { request, store } = this.#options
    const { policy, reward } = this.#ports
    const eventCount = this.#log.length
    const [policyBytes, rewardBytes] = await Promise.all([policy.saveCheckpoint(), reward.saveCheckpoint()])
    const checkpoint = { runId: request.runId, iteration, eventCount, policy: policyBytes, reward: rewardBytes }
    // A checkpoint beyond the stored log could not be resumed from.
    if (this.#stored === eventCount && (await this.#store(() => store.saveCheckpoint(checkpoint))))
      this.#hasCheckpoint = true
    return checkpoint
  }

  async #flush(): Promise<void> {
    const from = this.#stored
    const events = this.#log.slice(from)
    if (events.length === 0) return
    this.#tried = this.#log.length
    const isStored = await this.#store(() => this.#options.store.append(this.#options.request.runId, events))
    if (!isStored) return
    this.#stored = from + events.length
    if (this.#options.forgetsStored)
      events.forEach((event, i) => {
        this.#log[from + i] = stateEvent(event)
      })
  }

  /** False if it failed. */
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
    while (this.#isPaused && this.#steps.length === 0 && !this.#abort.signal.aborted && !this.#isExchangeDue) {
      // Set before anything is awaited, so that no resume is missed.
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
