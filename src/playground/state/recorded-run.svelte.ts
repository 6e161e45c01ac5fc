/**
 * A run that was recorded earlier: a run log (run-log.ts) that comes with the page or from a file, packed or not, or a run
 * that this browser keeps. It is folded once; any iteration of it is shown from that (RunView.at), and replayed by applying
 * its events again. Of a kept run, what was said long before its end stays in the store until somebody looks at it.
 */
import type { LoggedEvent, Phase } from '../../method/events.ts'
import { RunView } from '../../runs/fold.ts'
import type { RunFailure } from '../../sessions/loop-service.ts'
import { readableEvent } from '../../runs/readable-event.ts'
import { RunLogReader } from '../../runs/run-log.ts'
import { Revision, type Panel } from '../kit/revision.svelte.ts'
import { slicer } from '../kit/time-slice.ts'

export type RecordedState = 'loading' | 'absent' | 'ready' | 'failed'
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8] as const
/** Seconds that one iteration takes in a replay at speed 1. */
const SECONDS_PER_ITERATION = 4

export class RecordedRun {
  #state = $state.raw<RecordedState>('loading')
  #failure = $state.raw<RunFailure | null>(null)
  #fileName = $state.raw<string | null>(null)
  readonly #revision = new Revision()
  #iteration = $state.raw(0)
  #lastIteration = $state.raw(0)
  #isPlaying = $state.raw(false)
  #speed = $state.raw<number>(1)
  /** Of the whole recording. */
  #whole = new RunView()
  /** What is shown of it. */
  #view = new RunView()
  #source: RecordingSource = NO_SOURCE
  #runId = $state.raw<string | null>(null)
  /** Of the iteration that is being replayed: its events, and how many of them have been applied. */
  #replayed: { events: readonly LoggedEvent[]; count: number } | null = null
  /** Iterations that somebody looked at, the latest last. */
  readonly #restored: number[] = []
  #loading = 0
  #replay = 0

  get state(): RecordedState {
    return this.#state
  }
  get failure(): RunFailure | null {
    return this.#failure
  }
  /** Of the file that a person opened; null for the recording that comes with the page. */
  get fileName(): string | null {
    return this.#fileName
  }
  /** Of the kept run that is shown; null for a log. */
  get runId(): string | null {
    return this.#runId
  }
  /** May be changed in place: whoever reads it here reads it again when it has changed. */
  get view(): RunView {
    return this.viewFor('loop')
  }
  /** The same for a panel that hears of changes in its own turn. */
  viewFor(panel: Panel): RunView {
    this.#revision.read(panel)
    return this.#view
  }
  /** How many iterations of the recording are shown now, in [0, lastIteration]. */
  get iteration(): number {
    return this.#iteration
  }
  get lastIteration(): number {
    return this.#lastIteration
  }
  get isPlaying(): boolean {
    return this.#isPlaying
  }
  get speed(): number {
    return this.#speed
  }
  /** Where the loop was at this moment of the recording; null when it stands still. */
  get phase(): Phase | null {
    return this.#isPlaying ? this.view.phase : null
  }

  /** Loads the first of the addresses that exists, and shows the run's end. */
  async load(addresses: readonly string[]): Promise<void> {
    const ticket = ++this.#loading
    this.pause()
    this.#failure = null
    this.#fileName = this.#runId = null
    this.#state = 'loading'
    try {
      for (const address of addresses) {
        const response = await fetch(address)
        // A development server answers an address that it does not know with the page itself.
        if (!response.ok || !response.body || response.headers.get('content-type')?.includes('text/html')) continue
        const recording = await read(response.body)
        if (ticket !== this.#loading) return
        this.#show(recording)
        return
      }
      if (ticket === this.#loading) this.#empty('absent')
    } catch (cause) {
      if (ticket !== this.#loading) return
      this.#failure = {
        what: 'The recorded run could not be shown.',
        why: messageOf(cause),
        remedy: 'Reload the page to try again, or start a run of your own: it does not need the recording.',
      }
      this.#empty('failed')
    }
  }

  /** Nothing is left of what was on show before. */
  #empty(state: 'absent' | 'failed'): void {
    this.#whole = this.#view = new RunView()
    this.#source = NO_SOURCE
    this.#iteration = this.#lastIteration = 0
    this.#state = state
    this.#revision.riseNow()
  }

  /** Shows a run log from a file, in place of the recording before; that stays when the file cannot be read. */
  async open(file: File): Promise<boolean> {
    const ticket = ++this.#loading
    this.#failure = null
    const before = this.#state === 'loading' ? 'absent' : this.#state
    this.#state = 'loading'
    try {
      const recording = await read(file.stream())
      if (ticket !== this.#loading) return false
      this.#fileName = file.name
      this.#runId = null
      this.#show(recording)
      return true
    } catch (cause) {
      if (ticket !== this.#loading) return false
      const remedy = 'What was on show before is still there.'
      this.#failure = { what: `The file ${file.name} could not be opened.`, why: messageOf(cause), remedy }
      this.#state = before
      return false
    }
  }

  /** Shows a kept run, at an iteration or at its end; what was shown before stays where it cannot be read. */
  async openKept(kept: KeptSource, iteration = Infinity): Promise<boolean> {
    const ticket = ++this.#loading
    this.#failure = null
    const before = this.#state === 'loading' ? 'absent' : this.#state
    this.#state = 'loading'
    try {
      const whole = new RunView()
      await kept.readEvents((events) => {
        if (ticket !== this.#loading) throw new DOMException('Another run was opened.', 'AbortError')
        for (const event of events) {
          whole.apply(event)
          if (event.type === 'iteration-finished') whole.release(event.iteration - WHOLE_ITERATIONS)
        }
      })
      whole.releaseEvaluations()
      // The last events were folded in this task; what is drawn of them is for the next.
      await new Promise((resolve) => setTimeout(resolve, 0))
      if (ticket !== this.#loading) return false
      this.#fileName = null
      this.#runId = kept.runId
      this.#show({ whole, source: kept }, iteration)
      await new Promise((resolve) => setTimeout(resolve, 0))
      return ticket === this.#loading
    } catch (cause) {
      if (ticket !== this.#loading) return false
      const remedy = 'What was on show before is still there. Reload the page and try again.'
      this.#failure = { what: `The run ${kept.runId} could not be opened.`, why: messageOf(cause), remedy }
      this.#state = before
      return false
    }
  }

  #show({ whole, source }: Recording, iteration = Infinity): void {
    this.pause()
    this.#whole = whole
    this.#source = source
    this.#restored.length = 0
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

  /** Reads what was said in an iteration, if it is not there: somebody looks at it. */
  async want(iteration: number): Promise<void> {
    if (!this.#whole.iteration(iteration)?.isReleased) return
    const whole = this.#whole
    const events = await this.#source.eventsOf(iteration)
    whole.restore(iteration, events)
    this.#restored.push(iteration)
    const oldest = this.#restored.length > RESTORED_ITERATIONS ? this.#restored.shift() : undefined
    if (oldest !== undefined && oldest !== iteration) whole.release(oldest)
    this.#revision.riseNow()
  }

  setSpeed(speed: number): void {
    this.#speed = speed
  }

  /** The speed beside this one; the slowest and the fastest stay. */
  shiftSpeed(by: -1 | 1): void {
    this.#speed = SPEEDS[SPEEDS.findIndex((speed) => speed === this.#speed) + by] ?? this.#speed
  }

  pause(): void {
    this.#isPlaying = false
  }

  async play(): Promise<void> {
    if (this.#isPlaying || this.#state !== 'ready') return
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

  /** Applies events frame by frame. False where it was stopped before the last. */
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

/** Iterations before the end of a kept run of which everything is held. */
const WHOLE_ITERATIONS = 50
/** And of those before them, that somebody looked at. */
const RESTORED_ITERATIONS = 8

export interface RecordingSource {
  /** The readable events of an iteration. */
  eventsOf(iteration: number): Promise<readonly LoggedEvent[]>
}

export interface KeptSource extends RecordingSource {
  runId: string
  readEvents(onBatch: (events: readonly LoggedEvent[]) => void): Promise<void>
}

const NO_SOURCE: RecordingSource = { eventsOf: async () => [] }

interface Recording {
  whole: RunView
  source: RecordingSource
}

/** Throws RunLogError. */
async function read(body: ReadableStream<Uint8Array>): Promise<Recording> {
  const whole = new RunView()
  const events: LoggedEvent[] = []
  const log = new RunLogReader()
  const take = (event: LoggedEvent | null) => {
    if (event === null) return
    const readable = readableEvent(event)
    events.push(readable)
    whole.apply(readable)
  }
  const slice = slicer()
  let rest = ''
  const reader = (await unzipped(body)).pipeThrough(new TextDecoderStream()).getReader()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const lines = (rest + chunk.value).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      take(log.take(line))
      if (slice.isDue()) await slice.rest()
    }
  }
  take(log.takeLast(rest))
  return { whole, source: { eventsOf: async (iteration) => events.filter((event) => event.iteration === iteration) } }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Some servers unpack a .gz on the way and some do not: the first two bytes tell. */
async function unzipped(body: ReadableStream<Uint8Array>): Promise<ReadableStream<BufferSource>> {
  const reader = body.getReader()
  const first = await reader.read()
  const whole = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      if (first.value) controller.enqueue(first.value as Uint8Array<ArrayBuffer>)
    },
    async pull(controller) {
      const next = await reader.read()
      if (next.done) controller.close()
      else controller.enqueue(next.value as Uint8Array<ArrayBuffer>)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return first.value?.[0] === 0x1f && first.value[1] === 0x8b
    ? whole.pipeThrough(new DecompressionStream('gzip'))
    : whole
}
