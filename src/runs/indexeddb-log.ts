/** Reads the log of a run from the browser's IndexedDB, one chunk at a time. */
import type { LoggedEvent } from '../method/events.ts'
import { chunkEvents } from './event-chunk.ts'
import { everythingOf, type RunDatabase } from './indexeddb-schema.ts'
import { withCurrentSettings } from './older-logs.ts'

export async function* readEvents(
  database: RunDatabase,
  runId: string,
  from = 0,
  to = Infinity,
): AsyncGenerator<LoggedEvent[]> {
  // A transaction would close between two parts, so each part has its own.
  let next = await chunkBefore(database, runId, from)
  while (next !== undefined && next < to) {
    const chunk = await database.get('chunks', [runId, next])
    if (chunk === undefined) return
    const events = (await chunkEvents(chunk)).filter(({ seq }) => seq >= from && seq < to)
    if (events.length > 0) yield events.map(withCurrentSettings)
    const range = IDBKeyRange.bound([runId, next], [runId, []], true)
    next = (await database.transaction('chunks').store.openKeyCursor(range))?.key[1]
  }
}

/** The first `seq` of the chunk that contains an event. */
export async function chunkBefore(database: RunDatabase, runId: string, seq: number): Promise<number | undefined> {
  const range = IDBKeyRange.bound([runId], [runId, seq])
  const cursor = await database.transaction('chunks').store.openKeyCursor(range, 'prev')
  if (cursor) return cursor.key[1]
  return (await database.transaction('chunks').store.openKeyCursor(everythingOf(runId)))?.key[1]
}
