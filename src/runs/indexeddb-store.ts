/**
 * Keeps runs in the browser's IndexedDB. Each chunk of events is packed (event-chunk.ts) and written in its own transaction, so a
 * closed tab loses at most the events not yet written. Metric rows (metric-rows.ts) and checkpoints are stored separately. A log is
 * always read in parts, because one of five hundred iterations may not fit into memory.
 *
 * A store becomes the writer of a run that it creates, resumes or branches. Every write checks in its own transaction that the run
 * still has this writer. So two tabs can never mix their events, even without locks (run-locks.ts), and a deleted run stays
 * deleted.
 */
import type { LoggedEvent } from '../method/events.ts'
import type { LivePatch } from '../method/settings.ts'
import { openTabChannel } from '../storage/browser-storage.ts'
import type { DatabaseConnection } from '../storage/database-connection.ts'
import { changedSummary, noteChange } from './branch.ts'
import { keptCheckpoint, outdatedCheckpoints } from './checkpoint-thinning.ts'
import { chunkBytes, packChunk } from './event-chunk.ts'
import { writeBranch } from './indexeddb-branch.ts'
import { checkAnswers, keptRunsError, noStorage, storageError } from './indexeddb-failures.ts'
import { readEvents } from './indexeddb-log.ts'
import { reopenRun } from './indexeddb-resume.ts'
import {
  everythingOf,
  lastCheckpoint,
  runDatabase,
  summaryOf,
  type RunDatabase,
  type Schema,
  type StoredSummary,
} from './indexeddb-schema.ts'
import { rowAfter, type MetricRow } from './metric-rows.ts'
import { newSummary, RunLostError, type ResumableRun, type ResumableRunStore } from './run-store.ts'
import type { Branch, ModelChange, RunCheckpoint, RunSummary } from './run-store.ts'

/** Tells other tabs and workers that the list of runs has changed. */
export const RUNS_CHANNEL = 'kept-runs'

export class IndexedDbRunStore implements ResumableRunStore {
  readonly #connection: DatabaseConnection<Schema>
  readonly #channel = openTabChannel(RUNS_CHANNEL)
  /** Proves to the database that this store is the writer of a run. */
  readonly #tokens = new Map<string, string>()

  private constructor(connection: DatabaseConnection<Schema>) {
    this.#connection = connection
  }

  /** Throws RunStoreError, also if nothing can be written within `patienceMs`. */
  static async open(name = 'rlanything-playground', patienceMs?: number): Promise<IndexedDbRunStore> {
    try {
      const connection = runDatabase(name)
      await checkAnswers(await connection.open(), patienceMs)
      return new IndexedDbRunStore(connection)
    } catch (cause) {
      throw noStorage(cause)
    }
  }

  close(): void {
    this.#channel.close()
    void this.#connection.close()
  }

  async create(summary: RunSummary): Promise<void> {
    const writer = this.#newToken(summary.runId)
    await this.#write((database) => database.put('runs', { ...summary, writer }))
    this.#announce()
  }

  async append(runId: string, events: readonly LoggedEvent[]): Promise<void> {
    if (events.length === 0) return
    await this.#write(async (database) => {
      // A transaction would close while the events are packed.
      const chunk = await packChunk(runId, events)
      const transaction = database.transaction(['runs', 'chunks', 'rows'], 'readwrite')
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
    })
    if (events.some(({ type }) => type === 'iteration-finished' || type === 'run-started')) this.#announce()
  }

  async saveTimings(runId: string, iteration: number, metrics: Readonly<Record<string, number>>): Promise<void> {
    await this.#write(async (database) => {
      const transaction = database.transaction(['runs', 'rows'], 'readwrite')
      this.#written(runId, await transaction.objectStore('runs').get(runId))
      const rows = transaction.objectStore('rows')
      const row = await rows.get([runId, iteration])
      if (row) await rows.put({ ...row, values: { ...row.values, ...metrics } })
      await transaction.done
    })
  }

  async saveCheckpoint(checkpoint: RunCheckpoint): Promise<void> {
    const { runId } = checkpoint
    await this.#write(async (database) => {
      const transaction = database.transaction(['runs', 'checkpoints'], 'readwrite')
      const stored = transaction.objectStore('checkpoints')
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
    })
  }

  async keepPatch(runId: string, waiting: LivePatch): Promise<void> {
    await this.#write(async (database) => {
      const transaction = database.transaction('runs', 'readwrite')
      const summary = this.#written(runId, await transaction.store.get(runId))
      await transaction.store.put({ ...summary, waiting })
      await transaction.done
    })
  }

  async replaceModel(change: ModelChange): Promise<void> {
    const { event, checkpoint } = change
    const { runId } = checkpoint
    await this.#write(async (database) => {
      const chunk = await packChunk(runId, [event])
      const transaction = database.transaction(['runs', 'chunks', 'checkpoints'], 'readwrite')
      const summary = this.#written(runId, await transaction.objectStore('runs').get(runId))
      const logBytes = summary.logBytes + chunkBytes(chunk)
      await Promise.all([
        transaction.objectStore('chunks').put(chunk),
        transaction.objectStore('checkpoints').put(checkpoint),
        transaction.objectStore('runs').put({ ...summary, ...changedSummary(summary, change), logBytes }),
        transaction.done,
      ])
    })
    this.#announce()
  }

  async finish(runId: string): Promise<void> {
    await this.#write(async (database) => {
      const transaction = database.transaction('runs', 'readwrite')
      const summary = this.#written(runId, await transaction.store.get(runId))
      await transaction.store.put({ ...summary, isFinished: true, updatedAt: Date.now() })
      await transaction.done
    })
    this.#announce()
  }

  /** Newest first. */
  async list(): Promise<RunSummary[]> {
    const runs = await this.#use((database) => database.getAllFromIndex('runs', 'updatedAt'))
    return runs.reverse().map(summaryOf)
  }

  async summary(runId: string): Promise<RunSummary | null> {
    const stored = await this.#use((database) => database.get('runs', runId))
    return stored === undefined ? null : summaryOf(stored)
  }

  /** In the order of iterations. */
  rows(runId: string): Promise<MetricRow[]> {
    return this.#use((database) => database.getAll('rows', everythingOf(runId)))
  }

  async *readEvents(runId: string, from?: number, to?: number): AsyncGenerator<LoggedEvent[]> {
    try {
      yield* readEvents(await this.#opened(), runId, from, to)
    } catch (cause) {
      throw keptRunsError(cause)
    }
  }

  loadCheckpoint(runId: string, iteration?: number): Promise<RunCheckpoint | null> {
    return this.#use(async (database) => {
      if (iteration !== undefined) return (await database.get('checkpoints', [runId, iteration])) ?? null
      return lastCheckpoint(database, runId)
    })
  }

  async pin(runId: string, isPinned: boolean): Promise<void> {
    await this.#change(runId, (summary) => ({ ...summary, isPinned }))
  }

  /** Deletes log and checkpoints, and keeps the curves. */
  async evict(runId: string): Promise<void> {
    await this.#use(async (database) => {
      const transaction = database.transaction(['runs', 'chunks', 'checkpoints'], 'readwrite')
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
    })
    this.#announce()
  }

  async remove(runId: string): Promise<void> {
    await this.#use(async (database) => {
      const transaction = database.transaction(['runs', 'chunks', 'checkpoints', 'rows'], 'readwrite')
      await Promise.all([
        transaction.objectStore('runs').delete(runId),
        transaction.objectStore('chunks').delete(everythingOf(runId)),
        transaction.objectStore('checkpoints').delete(everythingOf(runId)),
        transaction.objectStore('rows').delete(everythingOf(runId)),
        transaction.done,
      ])
    })
    this.#announce()
  }

  async prepareResume(runId: string): Promise<ResumableRun | null> {
    const reopened = await this.#use((database) => reopenRun(database, runId, () => this.#newToken(runId)))
    if (reopened) this.#announce()
    return reopened
  }

  /** In one transaction, so that a closed tab leaves no half a branch. */
  async branch(from: string, iteration: number, branch: Branch): Promise<RunSummary | null> {
    const newToken = () => this.#newToken(branch.runId)
    const written = await this.#use((database) => writeBranch(database, from, iteration, branch, newToken))
    if (written) this.#announce()
    return written
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
    await this.#use(async (database) => {
      const transaction = database.transaction('runs', 'readwrite')
      const summary = await transaction.store.get(runId)
      if (summary !== undefined) await transaction.store.put(change(summary))
      await transaction.done
    })
    this.#announce()
  }

  /** Writes for a run that continues. Throws RunStoreError and RunLostError. */
  async #write(work: (database: RunDatabase) => Promise<unknown>): Promise<void> {
    try {
      await work(await this.#opened())
    } catch (cause) {
      throw storageError(cause)
    }
  }

  /** Reads or changes kept runs. Throws RunStoreError where the database fails, and what else `work` throws. */
  async #use<T>(work: (database: RunDatabase) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#opened())
    } catch (cause) {
      throw keptRunsError(cause)
    }
  }

  /** Throws RunStoreError. */
  async #opened(): Promise<RunDatabase> {
    return this.#connection.open().catch((cause: unknown) => {
      throw noStorage(cause)
    })
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
