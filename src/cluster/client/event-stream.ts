/**
 * Server-sent events from the body of an answer (HTML standard, 9.2.6). The browser's EventSource cannot be used, because it sends no
 * Authorization header. Text after the last blank line is not an event and is discarded, as the standard requires.
 */
export interface ServerSentEvent {
  /** "message" if the stream names none. */
  event: string
  data: string
  /** The last id so far; '' before the first. */
  id: string
}

/** Most characters of one event; a longer one means that this is not our stream. An episode with its tokens has about 10^5. */
const LONGEST_EVENT = 64e6

export class EventStreamError extends Error {
  override readonly name = 'EventStreamError'
}

/** Parses text in pieces of any size, cut anywhere. */
export class EventStreamParser {
  #rest = ''
  /** The last piece ended with a carriage return; a line feed at the start of the next one belongs to it. */
  #skipsLineFeed = false
  #isFirst = true
  #event = ''
  #data: string[] = []
  #size = 0
  #id = ''
  readonly #longest: number

  constructor(longest = LONGEST_EVENT) {
    this.#longest = longest
  }

  /** Events that this piece completes. Throws EventStreamError if one is too long. */
  push(piece: string): ServerSentEvent[] {
    if (piece === '') return []
    let text = piece
    if (this.#isFirst && text.startsWith('\uFEFF')) text = text.slice(1)
    this.#isFirst = false
    if (this.#skipsLineFeed && text.startsWith('\n')) text = text.slice(1)
    this.#skipsLineFeed = text === '' ? false : text.endsWith('\r')
    const events: ServerSentEvent[] = []
    let start = 0
    for (const { index, 0: ending } of text.matchAll(/\r\n|\n|\r/g)) {
      this.#take(this.#rest + text.slice(start, index), events)
      this.#rest = ''
      start = index + ending.length
    }
    this.#rest += text.slice(start)
    this.#grow(0)
    return events
  }

  #take(line: string, events: ServerSentEvent[]): void {
    if (line === '') {
      if (this.#data.length > 0)
        events.push({ event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id })
      this.#event = ''
      this.#data = []
      this.#size = 0
      return
    }
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    if (field === 'event') this.#event = value
    else if (field === 'data') {
      this.#data.push(value)
      this.#grow(value.length)
    } else if (field === 'id' && !value.includes('\0')) this.#id = value
  }

  #grow(characters: number): void {
    this.#size += characters
    if (this.#size + this.#rest.length > this.#longest)
      throw new EventStreamError(`An event is longer than ${this.#longest} characters.`)
  }
}

/**
 * The events of a body, until it ends. `onBytes` is called for everything received, including comments, so the caller can detect a
 * silent stream. The body is cancelled if the caller stops early.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void = () => {},
): AsyncGenerator<ServerSentEvent> {
  const parser = new EventStreamParser()
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      onBytes()
      yield* parser.push(decoder.decode(piece.value, { stream: true }))
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
