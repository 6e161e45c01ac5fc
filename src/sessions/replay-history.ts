/** Sends the events of a kept run that continues. */
import { readableEvent } from '../runs/readable-event.ts'
import type { ResumableRunStore } from '../runs/run-store.ts'
import type { RunMessage } from './messages.ts'

/** Bounds the work of one message in the page's thread. */
const EVENTS_PER_MESSAGE = 32

/** Stops early once the run is no longer wanted. */
export async function replayHistory(
  store: ResumableRunStore,
  runId: string,
  isWanted: () => boolean,
  send: (message: RunMessage) => void,
): Promise<void> {
  for await (const part of store.readEvents(runId)) {
    if (!isWanted()) return
    for (let i = 0; i < part.length; i += EVENTS_PER_MESSAGE) {
      const batch = part.slice(i, i + EVENTS_PER_MESSAGE).map(readableEvent)
      send({ type: 'events', runId, batch })
    }
  }
}
