/**
 * A run that was recorded earlier, as a run log (run-log.ts), packed or not: shown before anything is started, or opened
 * from a file, and replayed by applying its events again.
 */
import type { LoggedEvent, Phase } from '../../method/events.ts'
import { RunView } from '../../method/fold.ts'
import type { RunFailure } from '../../runs/loop-service.ts'
import { readableEvent } from '../../runs/readable-event.ts'
import { RunLogReader } from '../../runs/run-log.ts'
import { Revision, type Panel } from './revision.svelte.ts'
import { slicer } from './time-slice.ts'

export type RecordedState = 'loading' | 'absent' | 'ready' | 'failed'
export const SPEEDS = [0.5, 1, 2, 4, 8] as const
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
  #view = new RunView()
  #events: LoggedEvent[] = []
  /** ends[i]: index in #events after the last event of iteration i. */
  #ends: number[] = []
  #cursor = 0
  #loading = 0
  #seek = 0

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
  /** The same object all the time, changed in place: whoever reads it here reads it again when it has changed. */
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
    this.#fileName = null
    this.#state = 'loading'
    try {
      for (const address of addresses) {
        const response = await fetch(address)
        // A development server answers an address that it does not know with the page itself.
        if (!response.ok || !response.body || response.headers.get('content-type')?.includes('text/html')) continue
        const recording = await read(response.body)
        if (ticket !== this.#loading) return
        await this.#show(recording)
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
    this.#events = []
    this.#ends = []
    this.#view = new RunView()
    this.#cursor = this.#iteration = this.#lastIteration = 0
    this.#seek++
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
      await this.#show(recording)
      return true
    } catch (cause) {
      if (ticket !== this.#loading) return false
      const remedy = 'What was on show before is still there.'
      this.#failure = { what: `The file ${file.name} could not be opened.`, why: messageOf(cause), remedy }
      this.#state = before
      return false
    }
  }

  async #show({ events, ends }: Recording): Promise<void> {
    this.pause()
    this.#events = events
    this.#ends = ends
    this.#view = new RunView()
    this.#cursor = 0
    this.#lastIteration = Math.max(0, ends.length - 1)
    await this.seek(this.#lastIteration)
    this.#state = 'ready'
  }

  /** Shows the run as it was at the end of an iteration (0: before the first). */
  async seek(iteration: number): Promise<void> {
    const ticket = ++this.#seek
    const target = Math.max(0, Math.min(iteration, this.#lastIteration))
    const end = this.#ends[target] ?? 0
    const isBackwards = end < this.#cursor
    const view = isBackwards ? new RunView() : this.#view
    let cursor = isBackwards ? 0 : this.#cursor
    const slice = slicer()
    while (cursor < end) {
      view.apply(this.#events[cursor++]!)
      if (slice.isDue()) {
        if (!isBackwards) this.#cursor = cursor
        await slice.rest()
        if (ticket !== this.#seek) return
      }
    }
    this.#view = view
    this.#cursor = cursor
    this.#iteration = target
    this.#revision.riseNow()
  }

  setSpeed(speed: number): void {
    this.#speed = speed
  }

  pause(): void {
    this.#isPlaying = false
  }

  async play(): Promise<void> {
    if (this.#isPlaying || this.#state !== 'ready') return
    if (this.#iteration >= this.#lastIteration) await this.seek(0)
    this.#isPlaying = true
    let previous = performance.now()
    let debt = 0
    const frame = (now: number) => {
      if (!this.#isPlaying) return
      const next = Math.min(this.#iteration + 1, this.#lastIteration)
      const from = this.#ends[next - 1] ?? 0
      const eventsPerSecond = ((this.#ends[next]! - from) / SECONDS_PER_ITERATION) * this.#speed
      debt += Math.min(0.1, (now - previous) / 1000) * eventsPerSecond
      previous = now
      if (debt >= 1) {
        const count = Math.floor(debt)
        debt -= count
        this.#advance(count)
      }
      if (this.#cursor >= this.#events.length) this.#isPlaying = false
      else requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  }

  #advance(count: number): void {
    this.#seek++
    const end = Math.min(this.#events.length, this.#cursor + count)
    while (this.#cursor < end) this.#view.apply(this.#events[this.#cursor++]!)
    while (this.#iteration < this.#lastIteration && this.#ends[this.#iteration + 1]! <= this.#cursor) this.#iteration++
    this.#revision.rise()
  }
}

interface Recording {
  events: LoggedEvent[]
  /** ends[i]: index in `events` after the last event of iteration i. */
  ends: number[]
}

/** Throws RunLogError. */
async function read(body: ReadableStream<Uint8Array>): Promise<Recording> {
  const recording: Recording = { events: [], ends: [] }
  const { events, ends } = recording
  const log = new RunLogReader()
  const take = (event: LoggedEvent | null) => {
    if (event === null) return
    events.push(readableEvent(event))
    ends[event.iteration] = events.length
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
  for (let i = 0; i < ends.length; i++) ends[i] ??= ends[i - 1] ?? 0
  return recording
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
