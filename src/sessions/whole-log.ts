import type { LoggedEvent } from '../method/events.ts'
import { eventLine, headerLine } from '../runs/run-log.ts'
import type { ResumableRunStore } from '../runs/run-store.ts'
import type { LoopSession } from './loop-session.ts'

const EVENTS_PER_PART = 512

export interface StoredSession {
  runId: string
  session: LoopSession
  /** Null if the browser keeps nothing. */
  store: ResumableRunStore | null
}

/**
 * The whole log as a JSON lines file: from the store, and from the session what the store lacks. Throws Error if the store has lost a
 * part, as when the run was deleted in another tab.
 */
export async function logFile(run: StoredSession): Promise<Blob> {
  const parts: BlobPart[] = [headerLine()]
  // In parts, because a long log exceeds the maximum length of a string.
  for await (const events of wholeLog(run)) parts.push(events.map(eventLine).join(''))
  return new Blob(parts, { type: 'application/jsonl' })
}

async function* wholeLog({ runId, session, store }: StoredSession): AsyncGenerator<readonly LoggedEvent[]> {
  // A copy, because the session frees events once they are stored.
  const log = [...session.log]
  const freed = store === null ? 0 : session.storedCount
  let next = 0
  const checkKept = (end: number) => {
    if (next < Math.min(end, freed))
      throw new Error(
        `The log of run "${runId}" is no longer kept: it was deleted, here or in another tab, so it cannot be downloaded.`,
      )
  }
  for await (const events of store?.readEvents(runId, 0, log.length) ?? []) {
    const part: LoggedEvent[] = []
    for (const event of events) {
      checkKept(event.seq)
      part.push(...log.slice(next, event.seq), event)
      next = event.seq + 1
    }
    yield part
  }
  checkKept(log.length)
  for (; next < log.length; next += EVENTS_PER_PART) yield log.slice(next, next + EVENTS_PER_PART)
}
