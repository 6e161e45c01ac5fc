/**
 * Resumes a kept run at its last checkpoint: cuts its log, rows and summary back to the checkpoint, and keeps the settings that were
 * changed after it.
 */
import type { LoggedEvent } from '../method/events.ts'
import { changesAfter, cutBack, noteChange } from './branch.ts'
import { keptCheckpoint } from './checkpoint-thinning.ts'
import { chunkBytes, chunkEvents, packChunk } from './event-chunk.ts'
import { chunkBefore, readEvents } from './indexeddb-log.ts'
import { everythingOf, lastCheckpoint, summaryOf, type RunDatabase } from './indexeddb-schema.ts'
import { RunStoreError } from './indexeddb-failures.ts'
import type { ResumableRun } from './run-store.ts'
import { stateEvent } from './state-event.ts'

/** Null if the run has no checkpoint, or is deleted meanwhile. `newToken` makes the caller its writer. */
export async function reopenRun(
  database: RunDatabase,
  runId: string,
  newToken: () => string,
): Promise<ResumableRun | null> {
  const [summary, checkpoint] = await Promise.all([database.get('runs', runId), lastCheckpoint(database, runId)])
  if (summary === undefined || checkpoint === null) return null
  const { iteration, eventCount } = checkpoint
  const after: LoggedEvent[] = []
  for await (const events of readEvents(database, runId, eventCount))
    after.push(...events.filter(({ type }) => type === 'settings-changed'))
  const later = changesAfter(after, summary, checkpoint)
  const history: LoggedEvent[] = []
  for await (const events of readEvents(database, runId, 0, eventCount)) {
    for (const event of events) history.push(stateEvent(event))
  }
  const cut = await chunkBefore(database, runId, eventCount)
  const straddling = cut === undefined ? undefined : await database.get('chunks', [runId, cut])
  const events = straddling === undefined ? [] : await chunkEvents(straddling)
  const keptEvents = events.filter(({ seq }) => seq < eventCount)
  const isCut = keptEvents.length > 0 && keptEvents.length < events.length
  const end = [...(isCut ? keptEvents : []), ...later]
  const rewritten = end.length > 0 ? await packChunk(runId, end) : null
  const transaction = database.transaction(['runs', 'chunks', 'checkpoints', 'rows'], 'readwrite')
  const chunks = transaction.objectStore('chunks')
  const current = await transaction.objectStore('runs').get(runId)
  const last = await transaction.objectStore('checkpoints').openKeyCursor(everythingOf(runId), 'prev')
  // Meanwhile another tab may have deleted the run, or continued it.
  if (current === undefined) return null
  if (last?.key[1] !== iteration || history.length !== eventCount) {
    throw new RunStoreError(
      `Run "${runId}" was changed by another tab while it was read, so it was not resumed. Try again.`,
    )
  }
  await chunks.delete(IDBKeyRange.bound([runId, eventCount], [runId, []]))
  if (rewritten) await chunks.put(rewritten)
  let logBytes = 0
  for (let cursor = await chunks.openCursor(everythingOf(runId)); cursor; cursor = await cursor.continue())
    logBytes += chunkBytes(cursor.value)
  const at = { ...checkpoint, eventCount: eventCount + later.length }
  const reopened = { ...cutBack(summaryOf(current), checkpoint), isFinished: false, logBytes }
  for (const event of later) noteChange(reopened, event)
  reopened.checkpoints = [...reopened.checkpoints.filter((each) => each.iteration !== iteration), keptCheckpoint(at)]
  await Promise.all([
    transaction.objectStore('checkpoints').put(at),
    transaction.objectStore('rows').delete(IDBKeyRange.bound([runId, iteration], [runId, []], true)),
    transaction.objectStore('runs').put({ ...reopened, writer: newToken() }),
    transaction.done,
  ])
  return { summary: reopened, history: [...history, ...later], checkpoint: at }
}
