/** The schema of kept runs in the browser's IndexedDB, with migrations from earlier versions of the page. */
import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from 'idb'
import type { LoggedEvent } from '../method/events.ts'
import { DatabaseConnection } from '../storage/database-connection.ts'
import { noteChange } from './branch.ts'
import { keptCheckpoint } from './checkpoint-thinning.ts'
import { chunkBytes, type EventChunk } from './event-chunk.ts'
import { completeSettings, withSampledNames } from './older-logs.ts'
import { metricRows, type MetricRow } from './metric-rows.ts'
import { newSummary, type RunCheckpoint, type RunSummary } from './run-store.ts'

export type StoredRow = MetricRow & { runId: string }

/** `writer` changes whenever another tab takes the run over; runs of earlier versions have none until then. */
export type StoredSummary = RunSummary & { writer?: string }

export type RunDatabase = IDBPDatabase<Schema>

export interface Schema extends DBSchema {
  runs: { key: string; value: StoredSummary; indexes: { updatedAt: number } }
  chunks: { key: [string, number]; value: EventChunk }
  checkpoints: { key: [string, number]; value: RunCheckpoint }
  rows: { key: [string, number]; value: StoredRow }
}

/** From version 5 on, chunks are packed; earlier ones stay as they are. */
const VERSION = 5

export function runDatabase(name: string): DatabaseConnection<Schema> {
  return new DatabaseConnection<Schema>(name, VERSION, (database, before, _after, transaction) => {
    if (before < 1) {
      database.createObjectStore('runs', { keyPath: 'runId' }).createIndex('updatedAt', 'updatedAt')
      database.createObjectStore('chunks', { keyPath: ['runId', 'firstSeq'] })
      database.createObjectStore('checkpoints', { keyPath: ['runId', 'iteration'] })
    }
    if (before < 2) {
      database.createObjectStore('rows', { keyPath: ['runId', 'iteration'] })
    }
    // The database opens when the transaction has ended. Half a migration would mix two versions.
    if (before > 0) migrate(before, transaction).catch(() => transaction.abort())
  })
}

type Upgrade = IDBPTransaction<Schema, StoreNames<Schema>[], 'versionchange'>

async function migrate(before: number, stores: Upgrade): Promise<void> {
  if (before < 2) await addRows(stores)
  if (before === 2 || before === 3) await renameSampled(stores)
}

/** Before version 4, evaluations had no temperature. */
async function renameSampled(stores: Upgrade): Promise<void> {
  const rows = stores.objectStore('rows')
  for (const row of await rows.getAll()) await rows.put({ ...row, values: withSampledNames(row.values) })
}

/** Version 1 kept only logs and checkpoints. */
async function addRows(stores: Upgrade): Promise<void> {
  for (const old of await stores.objectStore('runs').getAll()) {
    const summary: RunSummary = { ...newSummary(old), ...old }
    const events: LoggedEvent[] = []
    for (const chunk of await stores.objectStore('chunks').getAll(everythingOf(old.runId))) {
      summary.logBytes += chunkBytes(chunk)
      if ('events' in chunk) events.push(...chunk.events)
    }
    for (const event of events) {
      if (event.type === 'run-started') summary.backend = event.backend
      noteChange(summary, event)
    }
    for (const checkpoint of await stores.objectStore('checkpoints').getAll(everythingOf(old.runId)))
      summary.checkpoints.push(keptCheckpoint(checkpoint))
    for (const row of metricRows(events)) await stores.objectStore('rows').put({ ...row, runId: old.runId })
    await stores.objectStore('runs').put(summary)
  }
}

/** All keys [runId, number] of a run: an array sorts after every number. */
export function everythingOf(runId: string): IDBKeyRange {
  return IDBKeyRange.bound([runId], [runId, []])
}

/** Adds the defaults of settings that did not exist when the run was kept. */
export function summaryOf({ writer: _writer, ...summary }: StoredSummary): RunSummary {
  return { ...summary, settings: completeSettings(summary.settings) }
}

/** The newest one; null if the run has none. */
export async function lastCheckpoint(database: RunDatabase, runId: string): Promise<RunCheckpoint | null> {
  const cursor = await database.transaction('checkpoints').store.openCursor(everythingOf(runId), 'prev')
  return cursor?.value ?? null
}
