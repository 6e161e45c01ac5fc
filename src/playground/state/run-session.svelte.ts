/** The run that this person started: commands go out through the port, events come back and are folded frame by frame. */
import type { BackendChoice } from '../../engines/backends/choice.ts'
import type { ServerKeys } from '../../roles/source.ts'
import {
  isLogged,
  type EphemeralEvent,
  type LoggedEvent,
  type Phase,
  type RunEvent,
  type StepHappened,
} from '../../method/events.ts'
import type { Component } from '../../method/loop-contract.ts'
import type { LivePatch } from '../../method/settings.ts'
import { LiveSteps } from './live-steps.ts'
import { RunView } from '../../runs/fold.ts'
import type { BranchRequest, RunMessage, RunStatus, StartRequest } from '../../sessions/loop-service.ts'
import { Revision, type Panel } from '../kit/revision.svelte.ts'
import type { OpenSession, SessionPort } from './session-port.ts'

/** Milliseconds of one frame that folding may take; what is left waits for the next. */
const FOLD_BUDGET_MS = 8
/** Between two events of the log in slow motion. */
const SLOW_MOTION_MS = 120
/** Events that slow motion may fall behind: a few iterations. Beyond, it catches up at full speed. */
const MOST_BEHIND = 2000
/** How often a page that is behind shows how far it has come. */
const CATCH_UP_MS = 500

export interface PhaseProgress {
  phase: Phase
  done: number
  total: number
}

/** Iterations of which everything is held; what was said before them is in the store. */
const WHOLE_ITERATIONS = 50

export class RunSession {
  /** Told when a run has ended: by itself, because it was stopped, or because it failed. */
  onEnded: (how: 'completed' | 'stopped' | 'failed') => void = () => {}
  /** Whether the browser keeps a run, so that what was said in it need not be held here. */
  isKept: (runId: string) => boolean = () => false
  #status = $state.raw<RunStatus>({ state: 'idle' })
  readonly #revision = new Revision()
  #notice = $state.raw<string | null>(null)
  #backend = $state.raw<BackendChoice | null>(null)
  #runId = $state.raw('')
  #isSlow = $state.raw(false)
  #progress = $state.raw<PhaseProgress | null>(null)
  #view = new RunView()
  readonly #liveSteps = new LiveSteps()
  #timings: Record<string, number> = {}
  #queue: RunEvent[] = []
  #queueHead = 0
  #foldedAllAt = 0
  #onCaughtUp: (() => void) | null = null
  #frame = 0
  #port: SessionPort | null = null
  readonly #open: OpenSession

  constructor(open: OpenSession) {
    this.#open = open
  }

  get status(): RunStatus {
    return this.#status
  }
  /** The same object all the time, changed in place: whoever reads it here reads it again when it has changed. */
  get view(): RunView {
    return this.viewFor('loop')
  }
  /** The same for a panel that hears of changes in its own turn. */
  viewFor(panel: Panel): RunView {
    this.#revision.read(panel)
    return this.#view
  }
  /** Empty before the first. */
  get runId(): string {
    return this.#runId
  }
  /** Something that a person should know although the run goes on. */
  get notice(): string | null {
    return this.#notice
  }
  /** What computes the run, and why; null until it is known. */
  get backend(): BackendChoice | null {
    return this.#backend
  }
  get progress(): PhaseProgress | null {
    return this.#progress
  }
  get phase(): Phase | null {
    // In slow motion the page is behind: what it shows is where the log has been told to.
    if (this.#isSlow && this.view.phase !== null && this.#queueHead < this.#queue.length) return this.view.phase
    return this.isBusy ? (this.#progress?.phase ?? this.view.phase) : null
  }
  /** Steps of the episodes that are being rolled out, by episode. */
  get liveSteps(): ReadonlyMap<string, readonly StepHappened[]> {
    this.#revision.read('trajectories')
    return this.#liveSteps.byEpisode
  }
  get timings(): Readonly<Record<string, number>> {
    this.#revision.read()
    return this.#timings
  }
  /** Shows what happens event by event, slowly enough to follow; the run itself is not slowed. */
  get isSlow(): boolean {
    return this.#isSlow
  }
  set isSlow(isSlow: boolean) {
    this.#isSlow = isSlow
  }
  get isBusy(): boolean {
    return ['loading', 'running', 'pausing'].includes(this.#status.state)
  }
  /** A run that can go on where it is. */
  get isOpen(): boolean {
    return this.isBusy || this.#status.state === 'paused'
  }

  async start(request: StartRequest): Promise<void> {
    this.#reset(request.runId)
    this.#status = { state: 'loading', what: 'the models', done: 0, total: 0 }
    await this.#try((port) => port.start(request), 'The run could not be started.')
  }

  /** Takes up a kept run, whose servers `keys` are of. `onCaughtUp` is called when all that it had done is on show again. */
  async resumeKept(runId: string, keys: ServerKeys, onCaughtUp: () => void): Promise<void> {
    this.#reset(runId)
    this.#onCaughtUp = onCaughtUp
    this.#status = { state: 'loading', what: 'the models', done: 0, total: 0 }
    await this.#try((port) => port.resumeRun(runId, keys), 'The run could not go on.')
  }

  /** The log so far as a file. */
  async exportLog(): Promise<{ runId: string; file: Blob } | null> {
    return (await this.#port?.exportLog()) ?? null
  }

  /** Goes on from a checkpoint of a kept run, as another run. `onCaughtUp` as in resumeKept. */
  async branch(request: BranchRequest, onCaughtUp: () => void): Promise<void> {
    this.#reset(request.runId)
    this.#onCaughtUp = onCaughtUp
    this.#status = { state: 'loading', what: 'the models', done: 0, total: 0 }
    await this.#try(async (port) => {
      if (!port.branchRun)
        throw new Error('Where this run computes, no checkpoints are kept that another could begin with.')
      await port.branchRun(request)
    }, 'The run could not branch.')
  }

  async pause(): Promise<void> {
    this.#status = { state: 'pausing' }
    await this.#try((port) => port.pause(), 'The run could not be paused.')
  }

  async resume(): Promise<void> {
    await this.#try((port) => port.resume(), 'The run could not go on.')
  }

  async stop(): Promise<void> {
    await this.#try((port) => port.stop(), 'The run could not be ended.')
  }

  async stepOnce(only: Component | undefined, request: StartRequest): Promise<void> {
    if (this.isOpen) return this.#try((port) => port.stepOnce(only), 'The iteration could not be run.')
    this.#reset(request.runId)
    this.#status = { state: 'loading', what: 'the models', done: 0, total: 0 }
    await this.#try((port) => port.stepOnce(only, request), 'The iteration could not be run.')
  }

  async patch(patch: LivePatch): Promise<void> {
    if (this.isOpen) await this.#try((port) => port.patch(patch), 'The setting could not be changed.')
  }

  async #try(command: (port: SessionPort) => Promise<void>, what: string): Promise<void> {
    try {
      this.#port ??= this.#open(
        (message) => this.#hear(message),
        (why) => this.#lose(why),
      )
      await command(this.#port)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      const remedy = 'Press Run to start afresh. If it fails again, choose another preset or reload the page.'
      this.#turn({ state: 'failed', failure: { what, why, remedy } })
    }
  }

  #hear(message: RunMessage): void {
    // What a run that has been replaced still says.
    if (message.runId !== null && message.runId !== this.#runId) return
    if (message.type === 'events') this.#take(message.batch)
    else if (message.type === 'status') this.#turn(message.status)
    else if (message.type === 'backend') this.#backend = message.choice
    else this.#notice = message.text
  }

  #turn(status: RunStatus): void {
    this.#status = status
    if (status.state === 'failed') this.onEnded('failed')
    if (status.state === 'finished') this.onEnded(status.reason)
  }

  /** Puts back what was said in an iteration that somebody looks at. */
  restore(iteration: number, events: readonly LoggedEvent[]): void {
    this.#view.restore(iteration, events)
    this.#revision.riseNow()
  }

  #lose(why: string): void {
    this.#port = null
    if (!this.isOpen) return
    const remedy = 'Press Run to start afresh: a new worker is opened for it.'
    this.#turn({ state: 'failed', failure: { what: 'The run has ended: its worker has stopped.', why, remedy } })
  }

  #reset(runId: string): void {
    this.#runId = runId
    this.#notice = null
    this.#backend = null
    this.#view = new RunView()
    this.#onCaughtUp = null
    this.#liveSteps.clear()
    this.#queue = []
    this.#queueHead = 0
    this.#progress = null
    this.#timings = {}
    this.#revision.riseNow()
  }

  #take(batch: RunEvent[]): void {
    for (const event of batch) this.#queue.push(event)
    if (this.#frame === 0) this.#schedule()
  }

  /** A hidden tab has no frames, but its log must not pile up. */
  #schedule(): void {
    if (document.hidden) this.#frame = window.setTimeout(() => this.#fold(), 50)
    else if (this.#isTellingSlowly()) this.#frame = window.setTimeout(() => this.#fold(), SLOW_MOTION_MS)
    else this.#frame = requestAnimationFrame(() => this.#fold())
  }

  #isTellingSlowly(): boolean {
    return this.#isSlow && !document.hidden && this.#queue.length - this.#queueHead < MOST_BEHIND
  }

  #fold(): void {
    this.#frame = 0
    const isSlow = this.#isTellingSlowly()
    const deadline = performance.now() + FOLD_BUDGET_MS
    while (this.#queueHead < this.#queue.length && performance.now() < deadline) {
      const event = this.#queue[this.#queueHead++]!
      if (isLogged(event)) {
        this.#view.apply(event)
        if (event.type === 'episode') this.#liveSteps.forget(event.episodeId)
        if (event.type === 'iteration-started') this.#liveSteps.clear()
        if (event.type === 'iteration-finished' && this.isKept(this.#runId)) {
          this.#view.release(event.iteration - WHOLE_ITERATIONS)
          if (event.iteration % WHOLE_ITERATIONS === 0) this.#view.releaseEvaluations()
        }
        if (isSlow) break
      } else this.#watch(event)
    }
    const isBehind = this.#queueHead < this.#queue.length
    if (isBehind) this.#schedule()
    else {
      this.#queue = []
      this.#queueHead = 0
      if (this.#status.state === 'running') {
        this.#onCaughtUp?.()
        this.#onCaughtUp = null
      }
    }
    // A long history is told faster than it can be drawn: every panel of every part of it would be drawn for nobody.
    if (!isBehind || isSlow || performance.now() - this.#foldedAllAt > CATCH_UP_MS) {
      this.#foldedAllAt = performance.now()
      this.#revision.rise()
    }
  }

  #watch(event: EphemeralEvent): void {
    if (event.type === 'timings') this.#timings = event.metrics
    else if (event.type === 'progress') this.#progress = { phase: event.phase, done: event.done, total: event.total }
    else this.#liveSteps.take(event)
  }
}
