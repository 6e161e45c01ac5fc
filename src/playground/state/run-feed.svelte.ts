/** Turns the messages of a running loop, in this tab or on a cluster, into what the page shows of it. */
import type { BackendChoice } from '../../engines/backends/choice.ts'
import {
  isLogged,
  type EphemeralEvent,
  type LoggedEvent,
  type Phase,
  type RunEvent,
  type StepHappened,
} from '../../method/events.ts'
import { RunView } from '../../runs/fold.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import type { RunFailure, RunMessage, RunStatus } from '../../sessions/loop-service.ts'
import { Revision, type Lane } from '../kit/revision.svelte.ts'
import { EventPacer } from './event-pacer.ts'
import { LiveSteps } from './live-steps.ts'
import type { RecordingSource, RunOnShow } from './run-on-show.ts'
import { WHOLE_ITERATIONS } from './whole-iterations.ts'

export interface PhaseProgress {
  phase: Phase
  done: number
  total: number
}

export type RunEnd = 'completed' | 'stopped' | 'failed'

export interface FeedOptions {
  origin?: 'browser' | 'cluster'
  /** The browser's kept runs. Episodes that are stored can be released, since they can be read back. */
  kept?: { entries: readonly RunSummary[] | null; source(runId: string): RecordingSource }
  onEnded?: (runId: string, how: RunEnd) => void
  onStatus?: (state: RunStatus['state']) => void
  /** Called after each iteration. */
  onTimings?: (runId: string, timings: Readonly<Record<string, number>>) => void
}

export class RunFeed implements RunOnShow {
  readonly origin: 'browser' | 'cluster'
  #status = $state.raw<RunStatus>({ state: 'idle' })
  #notice = $state.raw<string | null>(null)
  #refusal = $state.raw<string | null>(null)
  #backend = $state.raw<BackendChoice | null>(null)
  #runId = $state.raw('')
  #isSlow = $state.raw(false)
  #progress = $state.raw<PhaseProgress | null>(null)
  readonly #revision = new Revision()
  #view = new RunView()
  readonly #liveSteps = new LiveSteps()
  #timings: Record<string, number> = {}
  /** The iteration on show, which is not released. */
  #wanted: number | null = null
  #onCaughtUp: (() => void) | null = null
  readonly #options: FeedOptions
  readonly #pacer = new EventPacer({
    take: (event) => this.#take(event),
    caughtUp: () => this.#catchUp(),
    draw: () => this.#revision.rise(),
  })

  constructor(options: FeedOptions = {}) {
    this.origin = options.origin ?? 'browser'
    this.#options = options
  }

  get status(): RunStatus {
    return this.#status
  }
  get view(): RunView {
    return this.viewFor('loop')
  }
  viewFor(lane: Lane): RunView {
    this.#revision.read(lane)
    return this.#view
  }
  lengthFor(lane: Lane): number {
    return this.viewFor(lane).current?.iteration ?? 1
  }
  get runId(): string {
    return this.#runId
  }
  get key(): string {
    return `live ${this.#runId}`
  }
  /** Something to know although the run continues. */
  get notice(): string | null {
    return this.#refusal ?? this.#notice
  }
  /** What computes the run, and why; null until it is known. */
  get backend(): BackendChoice | null {
    return this.#backend
  }
  get progress(): PhaseProgress | null {
    return this.#progress
  }
  get phase(): Phase | null {
    // In slow motion the page is behind the run and shows its own position.
    if (this.#isSlow && this.view.phase !== null && this.#pacer.isBehind) return this.view.phase
    return this.isBusy ? (this.#progress?.phase ?? this.view.phase) : null
  }
  get liveSteps(): ReadonlyMap<string, readonly StepHappened[]> {
    this.#revision.read('trajectories')
    return this.#liveSteps.byEpisode
  }
  get timings(): Readonly<Record<string, number>> {
    this.#revision.read()
    return this.#timings
  }
  /** Shows events one by one, slowly enough to follow; the run itself keeps its speed. */
  get isSlow(): boolean {
    return this.#isSlow
  }
  set isSlow(isSlow: boolean) {
    this.#isSlow = this.#pacer.isSlow = isSlow
  }
  get isBusy(): boolean {
    return ['loading', 'running', 'pausing'].includes(this.#status.state)
  }
  /** Whether the run has not ended: it is busy or paused. */
  get isOpen(): boolean {
    return this.isBusy || this.#status.state === 'paused'
  }

  /** Discards the run before and awaits the messages of another. Calls `onCaughtUp` once its history so far is on show. */
  expect(runId: string, onCaughtUp: (() => void) | null = null): void {
    this.#runId = runId
    this.#notice = this.#refusal = null
    this.#backend = null
    this.#view = new RunView()
    this.#onCaughtUp = onCaughtUp
    this.#liveSteps.clear()
    this.#pacer.clear()
    this.#progress = null
    this.#timings = {}
    this.#wanted = null
    this.#show({ state: 'loading', what: 'the models', done: 0, total: 0 })
    this.#revision.riseNow()
  }

  hear(message: RunMessage): void {
    // A run that has been replaced may still send messages.
    if (message.runId !== null && message.runId !== this.#runId) return
    if (message.type === 'events') this.#pacer.push(message.batch)
    else if (message.type === 'status') this.#turn(message.status)
    else if (message.type === 'backend') this.#backend = message.choice
    else this.#notice = message.text
  }

  /**
   * A pause was requested; it starts at the run's next event. Returns how to take that back, which is a no-op once the run has
   * reported its status.
   */
  awaitPause(): () => void {
    const before = this.#status
    const pausing: RunStatus = { state: 'pausing' }
    this.#show(pausing)
    return () => {
      if (this.#status === pausing) this.#show(before)
    }
  }

  /** Shows why the last command was refused, which changed nothing; null before the next command. */
  refuse(why: string | null): void {
    this.#refusal = why
  }

  fail(failure: RunFailure): void {
    this.#turn({ state: 'failed', failure })
  }

  /** Nothing has run if the run failed before it started. */
  forgetFailedStart(): void {
    if (this.#status.state === 'failed' && this.#view.started === null) this.#show({ state: 'idle' })
  }

  async want(iteration: number): Promise<void> {
    const { runId } = this
    const { kept } = this.#options
    this.#wanted = iteration
    this.#releaseOld()
    if (!kept || !this.#view.iteration(iteration)?.isReleased) return
    const events = await kept.source(runId).eventsOf(iteration)
    if (this.runId !== runId) return
    this.#view.restore(iteration, events)
    this.#revision.riseNow()
  }

  #show(status: RunStatus): void {
    this.#status = status
    this.#options.onStatus?.(status.state)
  }

  #turn(status: RunStatus): void {
    this.#show(status)
    if (status.state === 'failed') this.#options.onEnded?.(this.#runId, 'failed')
    if (status.state === 'finished') this.#options.onEnded?.(this.#runId, status.reason)
  }

  #catchUp(): void {
    if (this.#status.state !== 'running' && this.#status.state !== 'paused') return
    const onCaughtUp = this.#onCaughtUp
    this.#onCaughtUp = null
    onCaughtUp?.()
  }

  #take(event: RunEvent): void {
    if (isLogged(event)) this.#apply(event)
    else this.#watch(event)
  }

  #apply(event: LoggedEvent): void {
    this.#view.apply(event)
    if (event.type === 'episode') this.#liveSteps.forget(event.episodeId)
    if (event.type === 'iteration-started') this.#liveSteps.clear()
    if (event.type === 'iteration-finished') {
      this.#releaseOld()
      if (this.#storedIterations > 0 && event.iteration % WHOLE_ITERATIONS === 0) this.#view.releaseEvaluations()
    }
  }

  /** How many iterations can be read back. */
  get #storedIterations(): number {
    const entry = this.#options.kept?.entries?.find(({ runId }) => runId === this.#runId)
    return entry === undefined || entry.isEvicted ? 0 : entry.finishedIterations
  }

  #releaseOld(): void {
    const newest = this.#view.current?.iteration ?? 0
    const last = Math.min(newest - WHOLE_ITERATIONS, this.#storedIterations)
    for (let iteration = 1; iteration <= last; iteration++)
      if (iteration !== this.#wanted) this.#view.release(iteration)
  }

  #measure(timings: Record<string, number>): void {
    this.#timings = timings
    this.#options.onTimings?.(this.#runId, timings)
  }

  #watch(event: EphemeralEvent): void {
    if (event.type === 'timings') this.#measure(event.metrics)
    else if (event.type === 'progress') this.#progress = { phase: event.phase, done: event.done, total: event.total }
    else this.#liveSteps.take(event)
  }
}
