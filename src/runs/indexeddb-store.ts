/**
 * Runs in the browser's IndexedDB. Events lie in chunks as they came (one transaction each), so a closed tab loses at
 * most what had not been handed over yet; checkpoints lie beside them, the two latest of each run. `prepareResume`
 * gives a run back as of its last checkpoint.
 */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import type { LoggedEvent } from '../method/events.ts'
import { withEverySetting } from './older-logs.ts'
import type { ResumableRun, ResumableRunStore, RunCheckpoint, RunSummary } from './run-store.ts'

interface EventChunk {
  runId: string
  firstSeq: number
  events: LoggedEvent[]
}

interface Schema extends DBSchema {
  runs: { key: string; value: RunSummary; indexes: { updatedAt: number } }
  chunks: { key: [string, number]; value: EventChunk }
  checkpoints: { key: [string, number]; value: RunCheckpoint }
}

const CHECKPOINTS_KEPT = 2

/** The runs are there but cannot be read or written: no space, a blocked upgrade, a private window. */
export class RunStoreError extends Error {
  override readonly name = 'RunStoreError'
}

export class IndexedDbRunStore implements ResumableRunStore {
  readonly #database: IDBPDatabase<Schema>

  private constructor(database: IDBPDatabase<Schema>) {
    this.#database = database
  }

  static async open(name = 'rlanything-playground'): Promise<IndexedDbRunStore> {
    try {
      const database = await openDB<Schema>(name, 1, {
        upgrade(fresh) {
          fresh.createObjectStore('runs', { keyPath: 'runId' }).createIndex('updatedAt', 'updatedAt')
          fresh.createObjectStore('chunks', { keyPath: ['runId', 'firstSeq'] })
          fresh.createObjectStore('checkpoints', { keyPath: ['runId', 'iteration'] })
        },
        // Another tab wants a newer version: let it.
        blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
      })
      return new IndexedDbRunStore(database)
    } catch (cause) {
      throw new RunStoreError(
        'The browser does not let this page keep runs (a private window, or storage is switched off). ' +
          'The run goes on, but is gone when the tab closes; export it to keep it.',
        { cause },
      )
    }
  }

  close(): void {
    this.#database.close()
  }

  async create(summary: RunSummary): Promise<void> {
    await this.#database.put('runs', summary)
  }

  async append(runId: string, events: readonly LoggedEvent[]): Promise<void> {
    const first = events[0]
    if (first === undefined) return
    const transaction = this.#database.transaction(['runs', 'chunks'], 'readwrite')
    const runs = transaction.objectStore('runs')
    const summary = await runs.get(runId)
    try {
      // Finished before the transaction may close by itself.
      await Promise.all([
        transaction.objectStore('chunks').put({ runId, firstSeq: first.seq, events: [...events] }),
        summary && runs.put(summaryAfter(summary, events)),
        transaction.done,
      ])
    } catch (cause) {
      throw storageError(cause)
    }
  }

  async saveCheckpoint(checkpoint: RunCheckpoint): Promise<void> {
    const transaction = this.#database.transaction('checkpoints', 'readwrite')
    try {
      await transaction.store.put(checkpoint)
      const keys = await transaction.store.getAllKeys(everythingOf(checkpoint.runId))
      const outdated = keys.slice(0, Math.max(0, keys.length - CHECKPOINTS_KEPT))
      await Promise.all([...outdated.map((key) => transaction.store.delete(key)), transaction.done])
    } catch (cause) {
      throw storageError(cause)
    }
  }

  async finish(runId: string): Promise<void> {
    const transaction = this.#database.transaction('runs', 'readwrite')
    const summary = await transaction.store.get(runId)
    if (summary !== undefined) await transaction.store.put({ ...summary, isFinished: true, updatedAt: Date.now() })
    await transaction.done
  }

  /** Latest first. */
  async list(): Promise<RunSummary[]> {
    return (await this.#database.getAllFromIndex('runs', 'updatedAt')).reverse()
  }

  async loadEvents(runId: string): Promise<LoggedEvent[]> {
    const chunks = await this.#database.getAll('chunks', everythingOf(runId))
    return chunks.flatMap((chunk) => chunk.events.map(withEverySetting))
  }

  async loadCheckpoint(runId: string): Promise<RunCheckpoint | null> {
    const cursor = await this.#database.transaction('checkpoints').store.openCursor(everythingOf(runId), 'prev')
    return cursor?.value ?? null
  }

  async remove(runId: string): Promise<void> {
    const transaction = this.#database.transaction(['runs', 'chunks', 'checkpoints'], 'readwrite')
    await Promise.all([
      transaction.objectStore('runs').delete(runId),
      transaction.objectStore('chunks').delete(everythingOf(runId)),
      transaction.objectStore('checkpoints').delete(everythingOf(runId)),
      transaction.done,
    ])
  }

  /** The latest run that did not come to its end and has a checkpoint to go on from. */
  async lastUnfinished(): Promise<RunSummary | null> {
    for (const summary of await this.list()) {
      if (!summary.isFinished && (await this.loadCheckpoint(summary.runId)) !== null) return summary
    }
    return null
  }

  async prepareResume(runId: string): Promise<ResumableRun | null> {
    const [summary, checkpoint] = await Promise.all([this.#database.get('runs', runId), this.loadCheckpoint(runId)])
    if (summary === undefined || checkpoint === null) return null
    const history = (await this.loadEvents(runId)).slice(0, checkpoint.eventCount)
    const reopened = { ...summary, finishedIterations: checkpoint.iteration, isFinished: false }
    const transaction = this.#database.transaction(['runs', 'chunks'], 'readwrite')
    const chunks = transaction.objectStore('chunks')
    await Promise.all([
      chunks.delete(everythingOf(runId)),
      chunks.put({ runId, firstSeq: 0, events: history }),
      transaction.objectStore('runs').put(reopened),
      transaction.done,
    ])
    return { summary: reopened, history, checkpoint }
  }
}

/** Keys are [runId, number]; an array sorts after every number, so this range holds all of a run's. */
function everythingOf(runId: string): IDBKeyRange {
  return IDBKeyRange.bound([runId], [runId, []])
}

function summaryAfter(summary: RunSummary, events: readonly LoggedEvent[]): RunSummary {
  const finished = events.findLast((event) => event.type === 'iteration-finished')
  return {
    ...summary,
    finishedIterations: finished?.iteration ?? summary.finishedIterations,
    updatedAt: Date.now(),
  }
}

function storageError(cause: unknown): RunStoreError {
  const isFull = cause instanceof DOMException && cause.name === 'QuotaExceededError'
  return new RunStoreError(
    isFull
      ? 'The browser’s space for this page is full, so the run could not be saved. Download the run log to keep it, and clear this site’s data in the browser’s settings to make room.'
      : 'The run could not be saved in the browser. It goes on, but is gone when the tab closes; export it to keep it.',
    { cause },
  )
}
