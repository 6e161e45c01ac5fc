/** Worlds of one's own in the browser's IndexedDB, by the name of their file. */
import type { DBSchema } from 'idb'
import { LibraryDatabase } from '../../../storage/library-database.ts'
import type { CheckLine } from '../check.ts'
import type { WorldFacts } from '../guest.ts'
import type { OwnModule } from '../module.ts'

export interface KeptWorld {
  /** Name of its file. A world with the same one replaces it. */
  file: string
  module: OwnModule
  facts: WorldFacts
  /** What the checks said. */
  lines: readonly CheckLine[]
}

interface Schema extends DBSchema {
  worlds: { key: string; value: KeptWorld }
}

/** All methods throw a LibraryError if the browser's storage fails. */
export class IndexedDbWorldLibrary {
  readonly #database: LibraryDatabase<Schema>

  constructor() {
    this.#database = new LibraryDatabase<Schema>({
      name: 'rlanything-own-worlds',
      things: 'worlds',
      without: 'your world stays until you close or reload the page',
      whenFull: 'the world was not kept',
      createStores(fresh) {
        fresh.createObjectStore('worlds', { keyPath: 'file' })
      },
    })
  }

  put(world: KeptWorld): Promise<void> {
    return this.#database.write(['worlds'], (transaction) => [transaction.objectStore('worlds').put(world)])
  }

  list(): Promise<readonly KeptWorld[]> {
    return this.#database.use((database) => database.getAll('worlds'))
  }

  /** No-op if the world does not exist. */
  delete(file: string): Promise<void> {
    return this.#database.write(['worlds'], (transaction) => [transaction.objectStore('worlds').delete(file)])
  }
}
