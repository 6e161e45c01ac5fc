/** The wheel of MiniWoB++ in the browser's IndexedDB, with what the check of its pages found. There is at most one. */
import type { DBSchema } from 'idb'
import { LibraryDatabase } from '../../../storage/library-database.ts'
import type { PageCheck } from './check-page.ts'

export interface KeptWheel {
  /** Name of its file. */
  file: string
  bytes: Uint8Array<ArrayBuffer>
  /** By the name of the page; those that have not been checked are missing. */
  checks: Readonly<Record<string, PageCheck>>
}

interface Schema extends DBSchema {
  wheels: { key: string; value: KeptWheel }
}

const KEY = 'miniwob'

/** All methods throw a LibraryError if the browser's storage fails. */
export class WheelLibrary {
  readonly #database: LibraryDatabase<Schema>

  constructor() {
    this.#database = new LibraryDatabase<Schema>({
      name: 'rlanything-miniwob',
      things: 'wheels',
      without: 'the wheel stays until you close or reload the page',
      whenFull: 'the wheel was not kept',
      createStores(fresh) {
        fresh.createObjectStore('wheels')
      },
    })
  }

  /** Without what a check found that the next may not find. */
  put(wheel: KeptWheel): Promise<void> {
    const checks = Object.fromEntries(Object.entries(wheel.checks).filter(([, { isPassing }]) => !isPassing))
    return this.#database.write(['wheels'], (transaction) => [
      transaction.objectStore('wheels').put({ ...wheel, checks }, KEY),
    ])
  }

  /** Null without one. */
  get(): Promise<KeptWheel | null> {
    return this.#database.use(async (database) => (await database.get('wheels', KEY)) ?? null)
  }

  /** No-op without one. */
  remove(): Promise<void> {
    return this.#database.write(['wheels'], (transaction) => [transaction.objectStore('wheels').delete(KEY)])
  }
}
