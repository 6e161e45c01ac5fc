/** How the browser's database of runs fails, and what a person can do. */
import type { IDBPDatabase } from 'idb'
import type { Schema } from './indexeddb-schema.ts'
import { RunLostError } from './run-store.ts'

/**
 * WebKit never ends a transaction whose worker was killed in the middle, and later writes then never start.
 * In milliseconds: a branch of a long run takes seconds.
 */
const PATIENCE_MS = 20_000

/** Kept runs cannot be read or written: no space, a blocked upgrade, a private window. */
export class RunStoreError extends Error {
  override readonly name = 'RunStoreError'
}

/** The browser has no database for this page, or does not let it open. */
export function noStorage(cause: unknown): RunStoreError {
  if (cause instanceof RunStoreError) return cause
  return new RunStoreError(
    'The browser does not let this page keep runs (a private window, or storage is switched off). ' +
      'The run continues, but is lost when you close the tab; export it to keep it.',
    { cause },
  )
}

/** A writing has failed. */
export function storageError(cause: unknown): RunStoreError | RunLostError {
  if (cause instanceof RunStoreError || cause instanceof RunLostError) return cause
  const isFull = cause instanceof DOMException && cause.name === 'QuotaExceededError'
  return new RunStoreError(
    isFull
      ? 'The browser’s space for this page is full, so the run could not be saved. Delete runs under Runs, or keep only their curves, to make room; download the run log to keep this one.'
      : 'The run could not be saved in the browser. It continues, but is lost when you close the tab; export it to keep it.',
    { cause },
  )
}

/** Rejects with RunStoreError and closes the database if nothing can be written within `patienceMs`. */
export async function checkAnswers(database: IDBPDatabase<Schema>, patienceMs = PATIENCE_MS): Promise<void> {
  const { done } = database.transaction('runs', 'readwrite')
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      database.close()
      reject(
        new RunStoreError(
          'The browser’s storage does not answer, so runs are neither kept nor resumed. ' +
            'Quit the browser and open it again; until then, export a run to keep it.',
        ),
      )
    }, patienceMs)
  })
  await Promise.race([done, silence]).finally(() => clearTimeout(timer))
}
