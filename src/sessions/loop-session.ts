/**
 * A running loop: drives it, stores its log and checkpoints, and can pause, step, change and stop it.
 *
 * To pause, it stops pulling: the loop is a generator, so it rests at the next event. A step of one component alone needs a
 * different request, so the session leaves the generator at the end of an iteration and starts a new one from the log; the
 * log is the same either way (loop-state.ts). So it does to exchange a model, and to log settings that change while it rests.
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
import type { RunCheckpoint } from '../runs/run-store.ts'
import type { SwapResult } from './messages.ts'
import { PendingPatch } from './pending-patch.ts'
import { SessionLog, type SessionLogOptions } from './session-log.ts'

export type SessionState = 'running' | 'pausing' | 'paused' | 'completed' | 'stopped'

export interface SessionOptions extends SessionLogOptions {
  loop: RunLoop
  ports: LoopPorts
  request: Pick<LoopRequest, 'runId' | 'preset' | 'backend' | 'models' | 'settings' | 'fixedTrajectories' | 'worldFile'>
  /** Iterations to run from here. */
  iterations: number
  /** Iterations between checkpoints in the store, beside the first and one where the run pauses or ends; 0 saves none. */
  checkpointEvery: number
  isPausedAtStart?: boolean
  onEvent(event: RunEvent): void
  onState?(state: SessionState): void
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

type StepRequest = { only: Component | undefined }

export class LoopSession {
  readonly #options: SessionOptions
  readonly #log: SessionLog
  readonly #abort = new AbortController()
  #ports: LoopPorts
  #exchanges: PendingExchange[] = []
  #settings: Settings
  readonly #patch = new PendingPatch(() => this.#wake?.())
  #remaining: number
  #isPaused: boolean
  #steps: StepRequest[] = []
  /** What the iteration under way, or the last one, is about alone. */
  #segmentOnly: Component | undefined
  #wake: (() => void) | null = null
  #hasCheckpoint: boolean
  /** Between iterations, a checkpoint fits the log. */
  #isBetweenIterations = true

  constructor(options: SessionOptions) {
    this.#options = options
    this.#ports = options.ports
    const { request, history = [] } = options
    this.#log = new SessionLog(request.runId, options)
    this.#remaining = options.iterations
    // A run is resumed from one.
    this.#hasCheckpoint = options.history !== undefined
    this.#isPaused = options.isPausedAtStart ?? false
    this.#settings = currentSettings(request.settings, history)
  }

  /** Event n at index n; see `forgetsStored`. */
  get log(): readonly LoggedEvent[] {
    return this.#log.events
  }

  /** The store has this many events, from the first on. */
  get storedCount(): number {
    return this.#log.storedCount
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
    return this.#log.iteration
  }

  /** Runs to the end. Rejects when a port fails, after storing what was logged until then. */
  async run(): Promise<'completed' | 'stopped'> {
    this.#announce(this.#isPaused ? 'paused' : 'running')
    try {
      for (;;) {
        await this.#exchangeModels()
        await this.#logPatch()
        await this.#whileHeld()
        if (this.#isChangeDue) continue
        const only = this.#abort.signal.aborted ? undefined : this.#steps[0]?.only
        const reason = await this.#runSegment(only)
        if (reason === null) continue
        await this.#log.write(() => this.#options.store.finish(this.#options.request.runId))
        this.#announce(reason)
        return reason
      }
    } finally {
      // So that it sets no timer any more.
      this.#patch.take()
      for (const { settle } of this.#exchanges) settle({ state: 'dropped' })
      await this.#log.flush()
    }
  }

  /** Runs iterations of one kind. Null at the end of an iteration if the next one is of another kind. */
  async #runSegment(only: Component | undefined): Promise<'completed' | 'stopped' | null> {
    const { loop, request } = this.#options
    this.#segmentOnly = only
    const events = loop(this.#ports, {
      ...request,
      iterations: only === undefined ? this.#remaining : Math.min(1, this.#remaining),
      ...(only === undefined ? {} : { only }),
      history: [...this.#log.events],
      takePatch: () => this.#patch.take(),
      signal: this.#abort.signal,
    })
    for await (const event of events) {
      if (event.type === 'iteration-started') this.#isBetweenIterations = false
      await this.#take(event)
      if (event.type === 'timings') await this.#saveTimings(event)
      if (event.type === 'run-finished') return event.reason
      if (event.type === 'iteration-finished') {
        await this.#finishIteration(event.iteration, only)
        const isOtherDue = this.#steps.length > 0 && this.#steps[0]?.only !== only
        if (!this.#abort.signal.aborted && (only !== undefined || isOtherDue)) return null
      }
      await this.#whileHeld()
      if (this.#isChangeDue) return null
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
    await this.#log.flush()
    const every = this.#options.checkpointEvery
    // A run that pauses may be left so: it has to be resumable from here. Before there is any checkpoint, all of it could be lost.
    const isPausing = this.#isPaused && this.#steps.length === 0
    const isDue = iteration % every === 0 || this.#remaining === 0 || isPausing || !this.#hasCheckpoint
    if (every > 0 && isDue) await this.#saveCheckpoint(iteration)
  }

  async #saveTimings({ iteration, metrics }: EphemeralEvent & TimingsMeasured): Promise<void> {
    const { store, request } = this.#options
    if (store.saveTimings === undefined) return
    // Timings go into the iteration's row, which exists once its events are stored.
    await this.#log.flush()
    await this.#log.write(() => store.saveTimings!(request.runId, iteration, metrics))
  }

  pause(): void {
    if (this.#isHeld || this.#abort.signal.aborted) return
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

  /**
   * Runs to the end of an iteration, of the one under way if there is one, then pauses. `only` trains or adapts that component alone, in
   * an iteration of its own.
   */
  stepOnce(only?: Component): void {
    const endsThisOne = only === undefined && this.#steps.length === 0 && !this.#isBetweenIterations
    this.#isPaused = true
    this.#steps.push({ only: endsThisOne ? this.#segmentOnly : only })
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
    this.#patch.add(patch)
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

  /**
   * Whether the session may add an event of its own to the log. Not before the first iteration has finished: there is nothing to open
   * models again with, and the log may be empty.
   */
  get #takesChanges(): boolean {
    return this.#isBetweenIterations && this.iteration > 0 && this.#remaining > 0 && !this.#abort.signal.aborted
  }

  get #isExchangeDue(): boolean {
    return this.#exchanges.length > 0 && this.#takesChanges
  }

  /** While the run rests. Otherwise the next iteration, which begins at once, logs the change. */
  get #isPatchDue(): boolean {
    return this.#patch.isSettled && this.#isHeld && this.#takesChanges
  }

  get #isChangeDue(): boolean {
    return this.#isExchangeDue || this.#isPatchDue
  }

  get #isHeld(): boolean {
    return this.#isPaused && this.#steps.length === 0 && !this.#abort.signal.aborted
  }

  /** Logs a change of settings at once, so that a tab that is closed while the run rests does not lose it. */
  async #logPatch(): Promise<void> {
    const patch = this.#isPatchDue ? this.#patch.take() : null
    if (patch === null) return
    await this.#take({ type: 'settings-changed', patch, seq: this.#log.events.length, iteration: this.iteration + 1 })
  }

  /** Stores changes that cannot be logged yet, such as those within an iteration, so that a closed tab does not lose them either. */
  async #keepPatch(): Promise<void> {
    const { store, request } = this.#options
    const patch = store.keepPatch && !this.#isPatchDue ? this.#patch.takeUnkept() : null
    if (patch === null) return
    // First, because an earlier change that is logged later would end these.
    await this.#log.flush()
    await this.#log.write(() => store.keepPatch!(request.runId, patch))
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
    await this.#log.flush()
    // The change is stored right after what was logged until now.
    if (!this.#log.isStored) return { state: 'kept', why: 'The browser could not store the run so far.' }
    const seq = this.#log.events.length
    const before = await this.#saveCheckpoint(this.iteration)
    const event = { type: 'model-replaced' as const, role, model, seq, iteration: this.iteration + 1 }
    const { ports, result } = await open(event, before, this.#abort.signal)
    this.#ports = ports
    if (result.state !== 'swapped') return result
    this.#log.addStored(event)
    this.#options.onEvent(event)
    return result
  }

  async #saveCheckpoint(iteration: number): Promise<RunCheckpoint> {
    const { request, store } = this.#options
    const { policy, reward } = this.#ports
    const eventCount = this.#log.events.length
    const [policyBytes, rewardBytes] = await Promise.all([policy.saveCheckpoint(), reward.saveCheckpoint()])
    const checkpoint = { runId: request.runId, iteration, eventCount, policy: policyBytes, reward: rewardBytes }
    // A checkpoint beyond the stored log could not be resumed from.
    if (this.#log.isStored && (await this.#log.write(() => store.saveCheckpoint(checkpoint))))
      this.#hasCheckpoint = true
    return checkpoint
  }

  async #take(event: RunEvent): Promise<void> {
    if (isLogged(event)) this.#log.add(event)
    this.#options.onEvent(event)
    await this.#log.flushChunk()
    await this.#keepPatch()
  }

  async #whileHeld(): Promise<void> {
    while (this.#isHeld && !this.#isChangeDue) {
      // Set before anything is awaited, so that no resume is missed.
      const woken = new Promise<void>((resolve) => (this.#wake = resolve))
      await this.#log.flush()
      await this.#keepPatch()
      // It may have been resumed while this was stored.
      if (this.#isHeld) this.#announce('paused')
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
