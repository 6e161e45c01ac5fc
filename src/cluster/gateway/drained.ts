import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Resolves when a full stream can take more, or is closed. */
export async function drained(stream: Writable): Promise<void> {
  const listening = new AbortController()
  const options = { signal: listening.signal }
  try {
    await Promise.race([once(stream, 'drain', options), once(stream, 'close', options)])
  } finally {
    // Removes the listeners of the other event.
    listening.abort()
  }
}
