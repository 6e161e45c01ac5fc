/**
 * A run that was recorded earlier, as a file of one logged event per line: shown before anything is started, and
 * replayed by applying its events again.
 */
import { isLogged, type LoggedEvent, type Phase, type RunEvent } from '../../method/events.ts'
import { RunView } from '../../method/fold.ts'
import type { RunFailure } from '../../runs/loop-service.ts'
import { Revision } from './revision.svelte.ts'
import { slicer } from './time-slice.ts'

export type RecordedState = 'loading' | 'absent' | 'ready' | 'failed'
export const SPEEDS = [0.5, 1, 2, 4, 8] as const
/** Seconds that one iteration takes in a replay at speed 1. */
const SECONDS_PER_ITERATION = 4

export class RecordedRun {
  #state = $state.raw<RecordedState>('loading')
  #failure = $state.raw<RunFailure | null>(null)
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
  #seek = 0

  get state(): RecordedState {
    return this.#state
  }
  get failure(): RunFailure | null {
    return this.#failure
  }
  /** The same object all the time, changed in place: whoever reads it here reads it again when it has changed. */
  get view(): RunView {
    this.#revision.read()
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
    this.#state = 'loading'
    try {
      for (const address of addresses) {
        const response = await fetch(address)
        // A development server answers an address that it does not know with the page itself.
        if (!response.ok || !response.body || response.headers.get('content-type')?.includes('text/html')) continue
        await this.#read(response.body)
        if (this.#events.length === 0) continue
        await this.seek(this.#lastIteration)
        this.#state = 'ready'
        return
      }
      this.#state = 'absent'
    } catch (cause) {
      this.#failure = {
        what: 'The recorded run could not be shown.',
        why: cause instanceof Error ? cause.message : String(cause),
        remedy: 'Reload the page to try again, or start a run of your own: it does not need the recording.',
      }
      this.#state = 'failed'
    }
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

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const slice = slicer()
    let rest = ''
    const take = (line: string) => {
      if (line.trim() === '') return
      const event = JSON.parse(line) as RunEvent
      if (!isLogged(event)) return
      this.#events.push(event)
      this.#ends[event.iteration] = this.#events.length
    }
    const reader = (await unzipped(body)).pipeThrough(new TextDecoderStream()).getReader()
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const lines = (rest + chunk.value).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        take(line)
        if (slice.isDue()) await slice.rest()
      }
    }
    take(rest)
    for (let i = 0; i < this.#ends.length; i++) this.#ends[i] ??= this.#ends[i - 1] ?? 0
    this.#lastIteration = Math.max(0, this.#ends.length - 1)
  }
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
