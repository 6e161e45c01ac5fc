/**
 * Keeps runs in the browser's IndexedDB. Each chunk of events is packed (event-chunk.ts) and written in its own transaction, so a
 * closed tab loses at most the events not yet written. Metric rows (metric-rows.ts) and checkpoints are stored separately. A log is
 * always read in parts, because one of five hundred iterations may not fit into memory.
 *
 * A store becomes the writer of a run that it creates, resumes or branches. Every write checks in its own transaction that the run
 * still has this writer. So two tabs can never mix their events, even without locks (run-locks.ts), and a deleted run stays
 * deleted.
 */
import type { IDBPDatabase } from 'idb'
import type { LoggedEvent } from '../method/events.ts'
import { openTabChannel } from '../storage/browser-storage.ts'
import { databaseName } from '../storage/deployment.ts'
import {
  branchCheckpoint,
  branchEvents,
  branchSummary,
  changedSummary,
  changesAfter,
  cutBack,
  noteChange,
} from './branch.ts'
import { keptCheckpoint, outdatedCheckpoints } from './checkpoint-thinning.ts'
import { chunkBytes, chunkEvents, packChunk, type EventChunk } from './event-chunk.ts'
import { checkAnswers, noStorage, RunStoreError, storageError } from './indexeddb-failures.ts'
import { everythingOf, openRunDatabase, type Schema, type StoredSummary } from './indexeddb-schema.ts'
import { completeSettings } from './older-logs.ts'
import { rowAfter, type MetricRow } from './metric-rows.ts'
import { withCurrentSettings } from './older-logs.ts'
import { newSummary, RunLostError, type ResumableRun, type ResumableRunStore } from './run-store.ts'
import type { Branch, ModelChange, RunCheckpoint, RunSummary } from './run-store.ts'
import { stateEvent } from './state-event.ts'

/** Tells other tabs and workers that the list of runs has changed. */
export const RUNS_CHANNEL = 'kept-runs'

export class IndexedDbRunStore implements ResumableRunStore {
  readonly #database: IDBPDatabase<Schema>
  readonly #channel = openTabChannel(RUNS_CHANNEL)
  /** Proves to the database that this store is the writer of a run. */
  readonly #tokens = new Map<string, string>()

  private constructor(database: IDBPDatabase<Schema>) {
    this.#database = database
  }

  /** Throws RunStoreError, also if nothing can be written within `patienceMs`. */
  static async open(name = 'rlanything-playground', patienceMs?: number): Promise<IndexedDbRunStore> {
    try {
      const database = await openRunDatabase(await databaseName(name))
      await checkAnswers(database, patienceMs)
      return new IndexedDbRunStore(database)
    } catch (cause) {
      throw noStorage(cause)
    }
  }

  close(): void {
    this.#channel.close()
    this.#database.close()
  }

  async create(summary: RunSummary): Promise<void> {
    await this.#database.put('runs', { ...summary, writer: this.#newToken(summary.runId) })
    this.#announce()
  }

  async append(runId: string, events: readonly LoggedEvent[]): Promise<void> {
    if (events.length === 0) return
    try {
      // A transaction would close while the events are packed.
      const chunk = await packChunk(runId, events)
      const transaction = this.#database.transaction(['runs', 'chunks', 'rows'], 'readwrite')
      const summary = this.#written(runId, await transaction.objectStore('runs').get(runId))
      const rows = new Map<number, MetricRow>()
      for (const event of events) {
        const { iteration } = event
        const row = rows.get(iteration) ?? (await transaction.objectStore('rows').get([runId, iteration]))
        rows.set(iteration, rowAfter(row, event))
      }
      // Awaited together, because the transaction closes by itself when no request is pending.
      await Promise.all([
        transaction.objectStore('chunks').put(chunk),
        ...Array.from(rows.values(), (row) => transaction.objectStore('rows').put({ ...row, runId })),
        transaction.objectStore('runs').put(summaryAfter(summary, events, chunkBytes(chunk))),
        transaction.done,
      ])
    } catch (cause) {
      throw storageError(cause)
    }
    if (events.some(({ type }) => type === 'iteration-finished' || type === 'run-started')) this.#announce()
  }

  async saveTimings(runId: string, iteration: number, metrics: Readonly<Record<string, number>>): Promise<void> {
    const transaction = this.#database.transaction(['runs', 'rows'], 'readwrite')
    this.#written(runId, await transaction.objectStore('runs').get(runId))
    const rows = transaction.objectStore('rows')
    const row = await rows.get([runId, iteration])
    if (row) await rows.put({ ...row, values: { ...row.values, ...metrics } })
    await transaction.done
  }

  async saveCheckpoint(checkpoint: RunCheckpoint): Promise<void> {
    const { runId } = checkpoint
    const transaction = this.#database.transaction(['runs', 'checkpoints'], 'readwrite')
    const stored = transaction.objectStore('checkpoints')
    try {
      const summary = this.#written(runId, await transaction.objectStore('runs').get(runId))
      await stored.put(checkpoint)
      const others = summary.checkpoints.filter(({ iteration }) => iteration !== checkpoint.iteration)
      const all = [...others, keptCheckpoint(checkpoint)].sort((a, b) => a.iteration - b.iteration)
      const outdated = outdatedCheckpoints(all)
      const checkpoints = all.filter((each) => !outdated.includes(each))
      await Promise.all([
        ...outdated.map(({ iteration }) => stored.delete([runId, iteration])),
        transaction.objectStore('runs').put({ ...summary, checkpoints }),
        transaction.done,
      ])
    } catch (cause) {
      throw storageError(cause)
    }
  }

  async replaceModel(change: ModelChange): Promise<void> {
    const { event, checkpoint } = change
    const { runId } = checkpoint
    try {
      const chunk = await packChunk(runId, [event])
      const transaction = this.#database.transaction(['runs', 'chunks', 'checkpoints'], 'readwrite')
      const summary = this.#written(runId, await transaction.objectStore('runs').get(runId))
      const logBytes = summary.logBytes + chunkBytes(chunk)
      await Promise.all([
        transaction.objectStore('chunks').put(chunk),
        transaction.objectStore('checkpoints').put(checkpoint),
        transaction.objectStore('runs').put({ ...summary, ...changedSummary(summary, change), logBytes }),
        transaction.done,
      ])
    } catch (cause) {
      throw storageError(cause)
    }
    this.#announce()
  }

  async finish(runId: string): Promise<void> {
    const transaction = this.#database.transaction('runs', 'readwrite')
    const summary = this.#written(runId, await transaction.store.get(runId))
    await transaction.store.put({ ...summary, isFinished: true, updatedAt: Date.now() })
    await transaction.done
    this.#announce()
  }

  /** Newest first. */
  async list(): Promise<RunSummary[]> {
    return (await this.#database.getAllFromIndex('runs', 'updatedAt')).reverse().map(summaryOf)
  }

  async summary(runId: string): Promise<RunSummary | null> {
    const stored = await this.#database.get('runs', runId)
    return stored === undefined ? null : summaryOf(stored)
  }

  /** In the order of iterations. */
  rows(runId: string): Promise<MetricRow[]> {
    return this.#database.getAll('rows', everythingOf(runId))
  }

  async *readEvents(runId: string, from = 0, to = Infinity): AsyncGenerator<LoggedEvent[]> {
    // A transaction would close between two parts, so each part has its own.
    let next = await this.#chunkBefore(runId, from)
    while (next !== undefined && next < to) {
      const chunk = await this.#database.get('chunks', [runId, next])
      if (chunk === undefined) return
      const events = (await chunkEvents(chunk)).filter(({ seq }) => seq >= from && seq < to)
      if (events.length > 0) yield events.map(withCurrentSettings)
      const range = IDBKeyRange.bound([runId, next], [runId, []], true)
      next = (await this.#database.transaction('chunks').store.openKeyCursor(range))?.key[1]
    }
  }

  /** The first `seq` of the chunk that contains an event. */
  async #chunkBefore(runId: string, seq: number): Promise<number | undefined> {
    const range = IDBKeyRange.bound([runId], [runId, seq])
    const cursor = await this.#database.transaction('chunks').store.openKeyCursor(range, 'prev')
    if (cursor) return cursor.key[1]
    return (await this.#database.transaction('chunks').store.openKeyCursor(everythingOf(runId)))?.key[1]
  }

  async loadCheckpoint(runId: string, iteration?: number): Promise<RunCheckpoint | null> {
    if (iteration !== undefined) return (await this.#database.get('checkpoints', [runId, iteration])) ?? null
    const cursor = await this.#database.transaction('checkpoints').store.openCursor(everythingOf(runId), 'prev')
    return cursor?.value ?? null
  }

  async pin(runId: string, isPinned: boolean): Promise<void> {
    await this.#change(runId, (summary) => ({ ...summary, isPinned }))
  }

  /** Deletes log and checkpoints, and keeps the curves. */
  async evict(runId: string): Promise<void> {
    const transaction = this.#database.transaction(['runs', 'chunks', 'checkpoints'], 'readwrite')
    const summary = await transaction.objectStore('runs').get(runId)
    if (summary !== undefined) {
      const evicted = { ...summaryOf(summary), isEvicted: true, isFinished: true, logBytes: 0, checkpoints: [] }
      await transaction.objectStore('runs').put(evicted)
    }
    await Promise.all([
      transaction.objectStore('chunks').delete(everythingOf(runId)),
      transaction.objectStore('checkpoints').delete(everythingOf(runId)),
      transaction.done,
    ])
    this.#announce()
  }

  async remove(runId: string): Promise<void> {
    const transaction = this.#database.transaction(['runs', 'chunks', 'checkpoints', 'rows'], 'readwrite')
    await Promise.all([
      transaction.objectStore('runs').delete(runId),
      transaction.objectStore('chunks').delete(everythingOf(runId)),
      transaction.objectStore('checkpoints').delete(everythingOf(runId)),
      transaction.objectStore('rows').delete(everythingOf(runId)),
      transaction.done,
    ])
    this.#announce()
  }

  async prepareResume(runId: string): Promise<ResumableRun | null> {
    const [summary, checkpoint] = await Promise.all([this.summary(runId), this.loadCheckpoint(runId)])
    if (summary === null || checkpoint === null) return null
    const { iteration, eventCount } = checkpoint
    const after: LoggedEvent[] = []
    for await (const events of this.readEvents(runId, eventCount))
      after.push(...events.filter(({ type }) => type === 'settings-changed'))
    const later = changesAfter(after, checkpoint)
    const history: LoggedEvent[] = []
    for await (const events of this.readEvents(runId, 0, eventCount)) {
      for (const event of events) history.push(stateEvent(event))
    }
    const cut = await this.#chunkBefore(runId, eventCount)
    const straddling = cut === undefined ? undefined : await this.#database.get('chunks', [runId, cut])
    const events = straddling === undefined ? [] : await chunkEvents(straddling)
    const keptEvents = events.filter(({ seq }) => seq < eventCount)
    const isCut = keptEvents.length > 0 && keptEvents.length < events.length
    const end = [...(isCut ? keptEvents : []), ...later]
    const rewritten = end.length > 0 ? await packChunk(runId, end) : null
    const transaction = this.#database.transaction(['runs', 'chunks', 'checkpoints', 'rows'], 'readwrite')
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
      transaction.objectStore('runs').put({ ...reopened, writer: this.#newToken(runId) }),
      transaction.done,
    ])
    this.#announce()
    return { summary: reopened, history: [...history, ...later], checkpoint: at }
  }

  /** In one transaction, so that a closed tab leaves no half a branch. */
  async branch(from: string, iteration: number, branch: Branch): Promise<RunSummary | null> {
    const { runId } = branch
    const [found, at] = await Promise.all([this.summary(from), this.loadCheckpoint(from, iteration)])
    if (found === null || at === null) return null
    const begins = branchEvents(found, at, branch)
    const ends = await this.#endsOfBranch(from, at.eventCount, runId, begins)
    const transaction = this.#database.transaction(['runs', 'chunks', 'checkpoints', 'rows'], 'readwrite')
    const [runs, chunks] = [transaction.objectStore('runs'), transaction.objectStore('chunks')]
    const [checkpoints, rows] = [transaction.objectStore('checkpoints'), transaction.objectStore('rows')]
    try {
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
      await runs.put({ ...summary, writer: this.#newToken(runId) })
      await transaction.done
      this.#announce()
      return summary
    } catch (cause) {
      throw storageError(cause)
    }
  }

  /**
   * The chunks that a branch cannot copy as they are: the first, which names the run, and the last, which may contain later
   * iterations and takes the branch's own first events.
   */
  async #endsOfBranch(
    from: string,
    eventCount: number,
    runId: string,
    begins: readonly LoggedEvent[],
  ): Promise<Map<number, EventChunk>> {
    const ends = new Map<number, EventChunk>()
    const last = await this.#chunkBefore(from, eventCount - 1)
    for (const firstSeq of [await this.#chunkBefore(from, 0), last]) {
      if (firstSeq === undefined || firstSeq >= eventCount) continue
      const chunk = await this.#database.get('chunks', [from, firstSeq])
      const events = (chunk === undefined ? [] : await chunkEvents(chunk))
        .filter(({ seq }) => seq < eventCount)
        .map((event) => (event.type === 'run-started' ? { ...event, runId } : event))
      if (firstSeq === last) events.push(...begins)
      if (events.length > 0) ends.set(firstSeq, await packChunk(runId, events))
    }
    return ends
  }

  /** Adds a whole run from elsewhere, a part of its events at a time. */
  async importRun(
    summary: RunSummary,
    parts: AsyncIterable<LoggedEvent[]>,
    checkpoint: RunCheckpoint | null,
    timings: ReadonlyMap<number, Record<string, number>>,
  ): Promise<void> {
    await this.create(newSummary(summary, summary.createdAt))
    try {
      for await (const events of parts) await this.append(summary.runId, events)
      for (const [iteration, metrics] of timings) await this.saveTimings(summary.runId, iteration, metrics)
      if (checkpoint) await this.saveCheckpoint(checkpoint)
      const { origin, isFinished, createdAt, updatedAt } = summary
      await this.#change(summary.runId, (read) => ({ ...read, origin, isFinished, createdAt, updatedAt }))
    } catch (error) {
      await this.remove(summary.runId)
      throw error
    }
  }

  async #change(runId: string, change: (summary: StoredSummary) => StoredSummary): Promise<void> {
    const transaction = this.#database.transaction('runs', 'readwrite')
    const summary = await transaction.store.get(runId)
    if (summary !== undefined) await transaction.store.put(change(summary))
    await transaction.done
    this.#announce()
  }

  #newToken(runId: string): string {
    const token = crypto.getRandomValues(new Uint32Array(2)).join('-')
    this.#tokens.set(runId, token)
    return token
  }

  /** The stored summary of a run that this store writes. Throws RunLostError if it is not the writer (any more). */
  #written(runId: string, stored: StoredSummary | undefined): StoredSummary {
    if (stored === undefined) throw new RunLostError(`Run "${runId}" was deleted in another tab, so it ended here.`)
    if (stored.writer === undefined || stored.writer !== this.#tokens.get(runId)) {
      throw new RunLostError(`Run "${runId}" was continued or changed in another tab, so it ended here.`)
    }
    return stored
  }

  #announce(): void {
    this.#channel.postMessage(null)
  }
}

/** Adds the defaults of settings that did not exist when the run was kept. */
function summaryOf({ writer: _writer, ...summary }: StoredSummary): RunSummary {
  return { ...summary, settings: completeSettings(summary.settings) }
}

function summaryAfter(summary: StoredSummary, events: readonly LoggedEvent[], logBytes: number): StoredSummary {
  const changed = { ...summary, updatedAt: Date.now() }
  changed.logBytes += logBytes
  for (const event of events) {
    if (event.type === 'run-started') {
      changed.backend = event.backend
      if (event.worldFile) changed.worldFile = { name: event.worldFile.name, hash: event.worldFile.hash }
    }
    noteChange(changed, event)
    if (event.type === 'iteration-finished') changed.finishedIterations = event.iteration
  }
  return changed
}
