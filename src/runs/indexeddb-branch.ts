/** Copies a kept run up to a checkpoint as a branch (branch.ts), within the browser's IndexedDB. */
import type { LoggedEvent } from '../method/events.ts'
import { branchCheckpoint, branchEvents, branchSummary } from './branch.ts'
import { keptCheckpoint } from './checkpoint-thinning.ts'
import { chunkBytes, chunkEvents, packChunk, type EventChunk } from './event-chunk.ts'
import { chunkBefore } from './indexeddb-log.ts'
import { summaryOf, type RunDatabase } from './indexeddb-schema.ts'
import type { Branch, RunSummary } from './run-store.ts'

/** Null without the checkpoint. `newToken` makes the caller the writer of the branch. */
export async function writeBranch(
  database: RunDatabase,
  from: string,
  iteration: number,
  branch: Branch,
  newToken: () => string,
): Promise<RunSummary | null> {
  const { runId } = branch
  const [found, at] = await Promise.all([database.get('runs', from), database.get('checkpoints', [from, iteration])])
  if (found === undefined || at === undefined) return null
  const begins = branchEvents(summaryOf(found), at, branch)
  const ends = await endsOfBranch(database, from, at.eventCount, runId, begins)
  const transaction = database.transaction(['runs', 'chunks', 'checkpoints', 'rows'], 'readwrite')
  const [runs, chunks] = [transaction.objectStore('runs'), transaction.objectStore('chunks')]
  const [checkpoints, rows] = [transaction.objectStore('checkpoints'), transaction.objectStore('rows')]
  const source = await runs.get(from)
  const checkpoint = await checkpoints.get([from, iteration])
  if (source === undefined || checkpoint?.eventCount !== at.eventCount) return null
  const first = branchCheckpoint(checkpoint, branch, begins)
  const summary = {
    ...branchSummary(summaryOf(source), checkpoint, branch, begins),
    checkpoints: [keptCheckpoint(first)],
  }
  const before = IDBKeyRange.bound([from], [from, checkpoint.eventCount], false, true)
  for await (const { value } of chunks.iterate(before)) {
    const chunk = ends.get(value.firstSeq) ?? { ...value, runId }
    summary.logBytes += chunkBytes(chunk)
    await chunks.put(chunk)
  }
  for await (const { value } of rows.iterate(IDBKeyRange.bound([from], [from, iteration]))) {
    await rows.put({ ...value, runId })
  }
  await checkpoints.put(first)
  await runs.put({ ...summary, writer: newToken() })
  await transaction.done
  return summary
}

/**
 * The chunks that a branch cannot copy as they are: the first, which names the run, and the last, which may contain later
 * iterations and takes the branch's own first events.
 */
async function endsOfBranch(
  database: RunDatabase,
  from: string,
  eventCount: number,
  runId: string,
  begins: readonly LoggedEvent[],
): Promise<Map<number, EventChunk>> {
  const ends = new Map<number, EventChunk>()
  const last = await chunkBefore(database, from, eventCount - 1)
  for (const firstSeq of [await chunkBefore(database, from, 0), last]) {
    if (firstSeq === undefined || firstSeq >= eventCount) continue
    const chunk = await database.get('chunks', [from, firstSeq])
    const events = (chunk === undefined ? [] : await chunkEvents(chunk))
      .filter(({ seq }) => seq < eventCount)
      .map((event) => (event.type === 'run-started' ? { ...event, runId } : event))
    if (firstSeq === last) events.push(...begins)
    if (events.length > 0) ends.set(firstSeq, await packChunk(runId, events))
  }
  return ends
}
