/** The run that this person started: commands go out through the port, events come back and are folded frame by frame. */
import { isLogged, type EphemeralEvent, type Phase, type RunEvent, type StepHappened } from '../../method/events.ts'
import type { Component } from '../../method/loop-contract.ts'
import type { LivePatch } from '../../method/settings.ts'
import { RunView } from '../run-view.ts'
import type { OpenSession, SessionPort, SessionStatus, StartRequest } from '../session-port.ts'

/** Milliseconds of one frame that folding may take; what is left waits for the next. */
const FOLD_BUDGET_MS = 8

export interface PhaseProgress {
  phase: Phase
  done: number
  total: number
}

export class RunSession {
  #status = $state.raw<SessionStatus>({ state: 'idle' })
  #revision = $state.raw(0)
  #progress = $state.raw<PhaseProgress | null>(null)
  #view = new RunView()
  #liveSteps = new Map<string, StepHappened[]>()
  #timings: Record<string, number> = {}
  #queue: RunEvent[] = []
  #queueHead = 0
  #frame = 0
  #port: SessionPort | null = null
  readonly #open: OpenSession

  constructor(open: OpenSession) {
    this.#open = open
  }

  get status(): SessionStatus { return this.#status }
  get revision(): number { return this.#revision }
  get view(): RunView { return this.#view }
  get progress(): PhaseProgress | null { return this.#progress }
  get phase(): Phase | null { return this.isBusy ? (this.#progress?.phase ?? this.#view.phase) : null }
  /** Steps of the episodes that are being rolled out, by episode; read together with `revision`. */
  get liveSteps(): ReadonlyMap<string, readonly StepHappened[]> { return this.#liveSteps }
  get timings(): Readonly<Record<string, number>> { return this.#timings }
  get isBusy(): boolean { return ['loading', 'running', 'pausing'].includes(this.#status.state) }
  /** A run that can go on where it is. */
  get isOpen(): boolean { return this.isBusy || this.#status.state === 'paused' }

  async start(request: StartRequest): Promise<void> {
    this.#reset()
    this.#status = { state: 'loading', what: 'the models', done: 0, total: 0 }
    await this.#try((port) => port.start(request), 'The run could not be started.')
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
    this.#reset()
    this.#status = { state: 'loading', what: 'the models', done: 0, total: 0 }
    await this.#try((port) => port.stepOnce(only, request), 'The iteration could not be run.')
  }

  async patch(patch: LivePatch): Promise<void> {
    if (this.isOpen) await this.#try((port) => port.patch(patch), 'The setting could not be changed.')
  }

  async #try(command: (port: SessionPort) => Promise<void>, what: string): Promise<void> {
    try {
      this.#port ??= this.#open({
        onEvents: (batch) => this.#take(batch),
        onStatus: (status) => {
          this.#status = status
        },
      })
      await command(this.#port)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      this.#status = { state: 'failed', failure: { what, why, remedy: 'Press Run to start afresh. If it fails again, choose another preset or reload the page.' } }
    }
  }

  #reset(): void {
    this.#view = new RunView()
    this.#liveSteps = new Map()
    this.#queue = []
    this.#queueHead = 0
    this.#progress = null
    this.#revision++
  }

  #take(batch: RunEvent[]): void {
    for (const event of batch) this.#queue.push(event)
    if (this.#frame === 0) this.#schedule()
  }

  /** A hidden tab has no frames, but its log must not pile up. */
  #schedule(): void {
    this.#frame = document.hidden ? window.setTimeout(() => this.#fold(), 50) : requestAnimationFrame(() => this.#fold())
  }

  #fold(): void {
    this.#frame = 0
    const deadline = performance.now() + FOLD_BUDGET_MS
    while (this.#queueHead < this.#queue.length && performance.now() < deadline) {
      const event = this.#queue[this.#queueHead++]!
      if (isLogged(event)) {
        this.#view.apply(event)
        if (event.type === 'episode') this.#liveSteps.delete(event.episodeId)
        if (event.type === 'iteration-started') this.#liveSteps.clear()
      } else this.#notice(event)
    }
    if (this.#queueHead < this.#queue.length) this.#schedule()
    else {
      this.#queue = []
      this.#queueHead = 0
    }
    this.#revision++
  }

  #notice(event: EphemeralEvent): void {
    if (event.type === 'timings') this.#timings = event.metrics
    else if (event.type === 'progress') this.#progress = { phase: event.phase, done: event.done, total: event.total }
    else {
      const steps = this.#liveSteps.get(event.episodeId)
      if (steps) steps.push(event)
      else this.#liveSteps.set(event.episodeId, [event])
    }
  }
}
