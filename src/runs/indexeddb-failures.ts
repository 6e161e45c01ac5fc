/** How the browser's database of runs fails, and what a person can do. */
import { isNamed } from '../storage/database-connection.ts'
import type { RunDatabase } from './indexeddb-schema.ts'
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
    isNamed(cause, 'VersionError')
      ? 'A newer version of this page, open in another tab, keeps the runs now. A run in this tab continues, but is lost when you close or reload the tab: download its log to keep it, then reload.'
      : 'The browser does not let this page keep runs (a private window, or storage is switched off). The run continues, but is lost when you close the tab; export it to keep it.',
    { cause },
  )
}

/** A run that continues could not be written. */
export function storageError(cause: unknown): RunStoreError | RunLostError {
  if (cause instanceof RunStoreError || cause instanceof RunLostError) return cause
  return new RunStoreError(
    isNamed(cause, 'QuotaExceededError')
      ? 'The browser’s space for this page is full, so the run could not be saved. Delete runs under Runs, or keep only their curves, to make room; download the run log to keep this one.'
      : 'The run could not be saved in the browser. It continues, but is lost when you close the tab; export it to keep it.',
    { cause },
  )
}

/** Kept runs could not be read or changed. Errors that are not the database's stay as they are. */
export function keptRunsError(cause: unknown): unknown {
  if (!(cause instanceof DOMException)) return cause
  return new RunStoreError(
    isNamed(cause, 'QuotaExceededError')
      ? 'The browser’s space for this page is full. Delete runs under Runs, or keep only their curves, to make room.'
      : 'The browser could not read or change the kept runs. Try again; if it fails again, reload the page.',
    { cause },
  )
}

/** Rejects with RunStoreError and closes the database if nothing can be written within `patienceMs`. */
export async function checkAnswers(database: RunDatabase, patienceMs = PATIENCE_MS): Promise<void> {
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
