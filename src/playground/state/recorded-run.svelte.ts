/**
 * A run that was recorded earlier: the log that ships with the page, a log from a file, or a run that this browser keeps.
 * It is folded once. From that, any iteration can be shown (RunView.at), and replayed by applying its events again. The
 * early texts of a kept run stay in the store until they are wanted.
 */
import { errorText } from '../../threads/error-text.ts'
import type { LoggedEvent, Phase, StepHappened } from '../../method/events.ts'
import { RunView } from '../../runs/fold.ts'
import type { RunFailure } from '../../sessions/loop-service.ts'
import { Revision, type Lane } from '../kit/revision.svelte.ts'
import { isRecording } from './recordings.ts'
import { readRecording, type KeptSource, type Recording } from './recording.ts'
import type { RecordingSource, RunOnShow } from './run-on-show.ts'
import { WHOLE_ITERATIONS } from './whole-iterations.ts'
import { hasFile } from '../kit/has-file.ts'

export type RecordedState = 'loading' | 'absent' | 'ready' | 'failed'
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8] as const
/** Seconds that one iteration takes in a replay at speed 1. */
const SECONDS_PER_ITERATION = 4
/** Earlier iterations whose episodes were read back and stay in memory. */
const RESTORED_ITERATIONS = 8

const NO_SOURCE: RecordingSource = { eventsOf: async () => [] }
const NO_STEPS: ReadonlyMap<string, readonly StepHappened[]> = new Map()

export class RecordedRun implements RunOnShow {
  readonly isBusy = false
  readonly liveSteps = NO_STEPS
  #state = $state.raw<RecordedState>('loading')
  #failure = $state.raw<RunFailure | null>(null)
  #file = $state.raw<File | null>(null)
  readonly #revision = new Revision()
  #iteration = $state.raw(0)
  #lastIteration = $state.raw(0)
  #isPlaying = $state.raw(false)
  /** Fastest at first: a run of 40 iterations takes 20 seconds. */
  #speed = $state.raw<number>(SPEEDS.at(-1)!)
  /** The whole recording. */
  #whole = new RunView()
  /** The part of it on show. */
  #view = new RunView()
  #source: RecordingSource = NO_SOURCE
  #runId = $state.raw<string | null>(null)
  #address = $state.raw<string | null>(null)
  /** Events of the iteration that is being replayed, and how many of them have been applied. */
  #replayed: { events: readonly LoggedEvent[]; count: number } | null = null
  /** Iterations that were read back, the latest last. */
  readonly #restored: number[] = []
  #loading = 0
  /** What is being read to take the place of this run, which stays until it is read. */
  #opening = $state.raw<object | null>(null)
  #shown = $state.raw(0)
  #replay = 0

  get state(): RecordedState {
    return this.#state
  }
  /** Whether a recording is loading, or a file or kept run is being read to take its place. */
  get isLoading(): boolean {
    return this.#opening !== null || this.#state === 'loading'
  }
  get failure(): RunFailure | null {
    return this.#failure
  }
  /** What the run was opened from; null for the shipped recording and for kept runs. */
  get file(): File | null {
    return this.#file
  }
  get fileName(): string | null {
    return this.#file?.name ?? null
  }
  get origin(): 'shipped' | 'file' | 'browser' {
    if (this.#file !== null) return 'file'
    return this.#runId === null ? 'shipped' : 'browser'
  }
  /** Where the recording on show was loaded from; null for files and kept runs. */
  get address(): string | null {
    return this.#address
  }
  get recording(): string | null {
    const name = /([^/]+)\.jsonl/.exec(this.#address ?? '')?.[1]
    return name !== undefined && isRecording(name) ? name : null
  }
  /** The kept run on show; null for a log. */
  get runId(): string | null {
    return this.#runId
  }
  get key(): string {
    return `recorded ${this.#shown}`
  }
  get view(): RunView {
    return this.viewFor('loop')
  }
  viewFor(lane: Lane): RunView {
    this.#revision.read(lane)
    return this.#view
  }
  /** Iterations of the recording on show, in [0, lastIteration]. */
  get iteration(): number {
    return this.#iteration
  }
  get lastIteration(): number {
    return this.#lastIteration
  }
  lengthFor(): number {
    return this.#lastIteration
  }
  get isPlaying(): boolean {
    return this.#isPlaying
  }
  get speed(): number {
    return this.#speed
  }
  /** The phase of the loop at this moment of the replay; null while it is paused. */
  get phase(): Phase | null {
    return this.#isPlaying ? this.view.phase : null
  }

  /** Loads the first of the addresses that exists, and shows the run's end. Returns false if another run was opened meanwhile. */
  async load(addresses: readonly string[]): Promise<boolean> {
    const ticket = ++this.#loading
    this.pause()
    this.#failure = this.#opening = null
    this.#file = this.#runId = this.#address = null
    this.#state = 'loading'
    try {
      for (const address of addresses) {
        const response = await fetch(address)
        if (!hasFile(response) || !response.body) continue
        const recording = await readRecording(response.body)
        if (ticket !== this.#loading) return false
        this.#address = address
        this.#show(recording)
        return true
      }
      if (ticket !== this.#loading) return false
      this.#empty('absent')
    } catch (cause) {
      if (ticket !== this.#loading) return false
      this.#failure = {
        what: 'The recorded run could not be shown.',
        why: errorText(cause),
        remedy: 'Reload the page to try again, or press Run: your own run does not need the recording.',
      }
      this.#empty('failed')
    }
    return true
  }

  #empty(state: 'absent' | 'failed'): void {
    this.#whole = this.#view = new RunView()
    this.#source = NO_SOURCE
    this.#iteration = this.#lastIteration = 0
    this.#state = state
    this.#revision.riseNow()
  }

  /** Shows a run log from a file. If it cannot be read, the run before stays on show, or continues to load. */
  async open(file: File): Promise<boolean> {
    const opening = this.#beginOpening()
    try {
      const recording = await readRecording(file.stream())
      if (opening !== this.#opening) return false
      this.#endOpening()
      this.#file = file
      this.#runId = this.#address = null
      this.#show(recording)
      return true
    } catch (cause) {
      if (opening !== this.#opening) return false
      this.#failOpening(`The file ${file.name} could not be opened.`, cause, 'Choose another file.')
      return false
    }
  }

  /** Shows a kept run, at an iteration or at its end. If it cannot be read, the run before stays on show, or continues to load. */
  async openKept(kept: KeptSource, iteration = Infinity): Promise<boolean> {
    const opening = this.#beginOpening()
    try {
      const whole = new RunView()
      await kept.readEvents((events) => {
        if (opening !== this.#opening) throw new DOMException('Another run was opened.', 'AbortError')
        for (const event of events) {
          whole.apply(event)
          if (event.type === 'iteration-finished') whole.release(event.iteration - WHOLE_ITERATIONS)
        }
      })
      whole.releaseEvaluations()
      // The last events were folded in this task; they are drawn in the next.
      await new Promise((resolve) => setTimeout(resolve, 0))
      if (opening !== this.#opening) return false
      const ticket = this.#endOpening()
      this.#file = this.#address = null
      this.#runId = kept.runId
      this.#show({ whole, source: kept }, iteration)
      await new Promise((resolve) => setTimeout(resolve, 0))
      return ticket === this.#loading
    } catch (cause) {
      if (opening !== this.#opening) return false
      this.#failOpening(`The run ${kept.runId} could not be opened.`, cause, 'Reload the page and try again.')
      return false
    }
  }

  #beginOpening(): object {
    this.#failure = null
    return (this.#opening = {})
  }

  /** What was read takes the place of a run that still loads. */
  #endOpening(): number {
    this.#opening = null
    return ++this.#loading
  }

  #failOpening(what: string, cause: unknown, advice: string): void {
    this.#opening = null
    this.#failure = { what, why: errorText(cause), remedy: `What was on show stays on show. ${advice}` }
  }

  #show({ whole, source }: Recording, iteration = Infinity): void {
    this.pause()
    this.#whole = whole
    this.#source = source
    this.#restored.length = 0
    this.#shown++
    this.#lastIteration = whole.current?.iteration ?? 0
    this.seek(iteration)
    this.#state = 'ready'
  }

  /** Shows the run as it was at the end of an iteration (0: before the first). */
  seek(iteration: number): void {
    const target = Math.max(0, Math.min(iteration, this.#lastIteration))
    this.#replay++
    this.#replayed = null
    this.#view = target === this.#lastIteration ? this.#whole : this.#whole.at(target)
    this.#iteration = target
    this.#revision.riseNow()
  }

  async want(iteration: number): Promise<void> {
    if (!this.#whole.iteration(iteration)?.isReleased) return
    const whole = this.#whole
    const events = await this.#source.eventsOf(iteration)
    if (whole !== this.#whole) return
    whole.restore(iteration, events)
    if (!whole.iteration(iteration)!.isReleased) this.#restored.push(iteration)
    const oldest = this.#restored.length > RESTORED_ITERATIONS ? this.#restored.shift() : undefined
    if (oldest !== undefined && oldest !== iteration) whole.release(oldest)
    this.#revision.riseNow()
  }

  setSpeed(speed: number): void {
    this.#speed = speed
  }

  /** Chooses the next speed up or down; no-op at either end. */
  shiftSpeed(by: -1 | 1): void {
    this.#speed = SPEEDS[SPEEDS.findIndex((speed) => speed === this.#speed) + by] ?? this.#speed
  }

  pause(): void {
    this.#isPlaying = false
  }

  async play(): Promise<void> {
    if (this.#isPlaying || this.isLoading || this.#state !== 'ready') return
    if (this.#iteration >= this.#lastIteration) this.seek(0)
    this.#isPlaying = true
    const ticket = ++this.#replay
    const isWanted = () => this.#isPlaying && ticket === this.#replay
    while (isWanted() && this.#iteration < this.#lastIteration) {
      if (this.#replayed === null) {
        const events = await this.#source.eventsOf(this.#iteration + 1)
        if (!isWanted()) break
        this.#replayed = { events, count: 0 }
        this.#view = this.#whole.at(this.#iteration, true)
      }
      if (!(await this.#replayIteration(this.#replayed, isWanted))) break
      this.#replayed = null
      this.#iteration++
    }
    if (ticket === this.#replay) this.#isPlaying = false
  }

  /** Applies events frame by frame. Returns false if it was stopped before the last. */
  async #replayIteration(
    replayed: { events: readonly LoggedEvent[]; count: number },
    isWanted: () => boolean,
  ): Promise<boolean> {
    const { events } = replayed
    let previous = performance.now()
    let debt = 0
    while (replayed.count < events.length) {
      const now = await new Promise<number>(requestAnimationFrame)
      if (!isWanted()) return false
      debt += Math.min(0.1, (now - previous) / 1000) * (events.length / SECONDS_PER_ITERATION) * this.#speed
      previous = now
      for (; debt >= 1 && replayed.count < events.length; debt--) this.#view.apply(events[replayed.count++]!)
      this.#revision.rise()
    }
    return true
  }
}
