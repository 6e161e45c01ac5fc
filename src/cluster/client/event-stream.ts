/**
 * Server-sent events from the body of an answer (HTML standard, 9.2.6). The browser's EventSource cannot be used, because it sends no
 * Authorization header.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** Most characters of one event; a longer one means that this is not our stream. An episode with its tokens has about 10^5. */
const LONGEST_EVENT = 64e6

export class EventStreamError extends Error {
  override readonly name = 'EventStreamError'
}

/**
 * The events of a body, until it ends. `onBytes` is called for everything received, including comments, so the caller can detect a
 * silent stream. Throws EventStreamError if an event is too long. The body is cancelled if the caller stops early.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void = () => {},
): AsyncGenerator<EventSourceMessage> {
  let events: EventSourceMessage[] = []
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT,
    onEvent: (event) => events.push(event),
    onError: (error) => {
      // Unknown fields are skipped, as the standard requires.
      if (error.type === 'max-buffer-size-exceeded') throw new EventStreamError(error.message, { cause: error })
    },
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      onBytes()
      parser.feed(decoder.decode(piece.value, { stream: true }))
      yield* events
      events = []
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
