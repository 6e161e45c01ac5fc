import type { LoggedEvent } from '../method/events.ts'
import type { ResumableRunStore } from '../runs/run-store.ts'
import type { LoopSession } from './loop-session.ts'

const EVENTS_PER_PART = 512

export interface StoredSession {
  runId: string
  session: LoopSession
  /** Null if the browser keeps nothing. */
  store: ResumableRunStore | null
}

/** The whole log in parts: from the store, and from the session what the store lacks. */
export async function* wholeLog({ runId, session, store }: StoredSession): AsyncGenerator<readonly LoggedEvent[]> {
  // A copy, because the session frees events once they are stored.
  const log = [...session.log]
  let next = 0
  for await (const events of store?.readEvents(runId, 0, log.length) ?? []) {
    const part: LoggedEvent[] = []
    for (const event of events) {
      part.push(...log.slice(next, event.seq), event)
      next = event.seq + 1
    }
    yield part
  }
  for (; next < log.length; next += EVENTS_PER_PART) yield log.slice(next, next + EVENTS_PER_PART)
}
