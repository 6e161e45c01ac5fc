/**
 * A run's events on disk, so that a gateway that is killed at any moment neither loses nor repeats one. Lines of JSON:
 *
 *     {"e": <event>}      an event
 *     {"c": <cursor>}     how far the sources had been read after the events above it
 *
 * A batch of events and its cursor are written at once, before any client sees them. So when a gateway
 * starts, everything after the last complete cursor has not been sent. It is cut off and read from the sources again.
 */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import type { LoggedEvent } from '../../method/events.ts'

const READ_BYTES = 1 << 20
const LINE_FEED = 10

export class Journal<Cursor> {
  readonly #file: number
  /** Where each event's line begins, and where it ends, without its line feed. */
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  #bytes = 0
  #cursor: Cursor | null = null

  private constructor(file: number) {
    this.#file = file
  }

  /** Opens or creates the file and calls `onEvent` for every event in it. Throws for a damaged line that is not the last. */
  static open<Cursor>(path: string, onEvent: (event: LoggedEvent) => void): Journal<Cursor> {
    const journal = new Journal<Cursor>(openSync(path, existsSync(path) ? 'r+' : 'w+', 0o600))
    journal.#load(path, onEvent)
    return journal
  }

  /** Number of events. */
  get length(): number {
    return this.#starts.length
  }

  /** The last one written; null in a new journal. */
  get cursor(): Cursor | null {
    return this.#cursor
  }

  /** If it throws, the journal is as before. */
  append(events: readonly LoggedEvent[], cursor: Cursor): void {
    const lines = [...events.map((event) => `${JSON.stringify({ e: event })}\n`), `${JSON.stringify({ c: cursor })}\n`]
    const bytes = Buffer.from(lines.join(''))
    // Otherwise the rest of a failed write would follow a shorter batch.
    if (fstatSync(this.#file).size > this.#bytes) ftruncateSync(this.#file, this.#bytes)
    let written = 0
    while (written < bytes.length) {
      written += writeSync(this.#file, bytes, written, bytes.length - written, this.#bytes + written)
    }
    fsyncSync(this.#file)
    let at = this.#bytes
    for (const line of lines.slice(0, -1)) {
      this.#starts.push(at)
      at += Buffer.byteLength(line)
      this.#ends.push(at - 1)
    }
    this.#bytes += bytes.length
    this.#cursor = cursor
  }

  /** The JSON of an event, as it was written. */
  line(seq: number): string {
    const [start, end] = [this.#starts[seq], this.#ends[seq]]
    if (start === undefined || end === undefined) throw new RangeError(`The journal has no event ${seq}.`)
    const bytes = Buffer.alloc(end - start)
    this.#read(bytes, start)
    // {"e": … }: five characters before it and one after.
    return bytes.toString('utf8').slice(5, -1)
  }

  close(): void {
    closeSync(this.#file)
  }

  #load(path: string, onEvent: (event: LoggedEvent) => void): void {
    const size = fstatSync(this.#file).size
    let pending: { event: LoggedEvent; start: number; end: number }[] = []
    let number = 0
    let start = 0
    for (const { line, end } of this.#lines(size)) {
      number++
      let entry: { e?: LoggedEvent; c?: Cursor }
      try {
        entry = JSON.parse(line) as typeof entry
      } catch (cause) {
        if (end < size - 1 && this.#hasCursorAfter(end + 1, size)) {
          throw new Error(
            `${path}, line ${number}: the line is damaged. To continue without this run, move its folder away.`,
            { cause },
          )
        }
        break
      }
      if (entry.e) pending.push({ event: entry.e, start, end })
      else if (entry.c !== undefined) {
        for (const { event, start: from, end: to } of pending) {
          this.#starts.push(from)
          this.#ends.push(to)
          onEvent(event)
        }
        pending = []
        this.#cursor = entry.c
        this.#bytes = end + 1
      }
      start = end + 1
    }
    ftruncateSync(this.#file, this.#bytes)
  }

  /** Whole lines from the start of the file; `end` is the position of the line feed. */
  *#lines(size: number): Generator<{ line: string; end: number }> {
    let rest = Buffer.alloc(0)
    let at = 0
    while (at < size) {
      const chunk = Buffer.alloc(Math.min(READ_BYTES, size - at))
      this.#read(chunk, at)
      let text = Buffer.concat([rest, chunk])
      let offset = at - rest.length
      at += chunk.length
      for (let feed = text.indexOf(LINE_FEED); feed >= 0; feed = text.indexOf(LINE_FEED)) {
        yield { line: text.subarray(0, feed).toString('utf8'), end: offset + feed }
        text = text.subarray(feed + 1)
        offset += feed + 1
      }
      rest = Buffer.from(text)
    }
  }

  #hasCursorAfter(from: number, size: number): boolean {
    const bytes = Buffer.alloc(size - from)
    this.#read(bytes, from)
    return bytes.includes('\n{"c":') || bytes.subarray(0, 5).toString() === '{"c":'
  }

  #read(into: Buffer, from: number): void {
    let read = 0
    while (read < into.length) {
      const count = readSync(this.#file, into, read, into.length - read, from + read)
      if (count === 0) throw new Error('The journal became shorter while it was read.')
      read += count
    }
  }
}
