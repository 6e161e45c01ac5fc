/**
 * A database of imported things (games, problems) in the browser's IndexedDB, independent of runs. Explains failures in terms of what it
 * keeps.
 */
import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from 'idb'
import { DatabaseConnection, isNamed } from './database-connection.ts'

/** The browser keeps nothing, has no space left, or keeps it for a newer version of the page. */
export class LibraryError extends Error {
  override readonly name = 'LibraryError'
}

export interface LibraryDatabaseOptions<S extends DBSchema> {
  name: string
  /** The plural of what is kept: "games". */
  things: string
  /** What still works if nothing can be kept; ends a sentence. */
  without: string
  /** What remains of an import that does not fit; follows a colon. */
  whenFull: string
  createStores: (fresh: IDBPDatabase<S>) => void
}

export class LibraryDatabase<S extends DBSchema> {
  readonly #options: LibraryDatabaseOptions<S>
  readonly #connection: DatabaseConnection<S>

  /** Opens nothing yet. */
  constructor(options: LibraryDatabaseOptions<S>) {
    this.#options = options
    this.#connection = new DatabaseConnection<S>(options.name, 1, (fresh) => options.createStores(fresh))
  }

  /** Converts every error into a LibraryError. */
  async use<T>(work: (database: IDBPDatabase<S>) => Promise<T>): Promise<T> {
    const database = await this.#connection.open().catch((cause: unknown) => {
      throw this.#openingError(cause)
    })
    try {
      return await work(database)
    } catch (cause) {
      throw this.#workError(cause)
    }
  }

  /** Writes all requests of `write`, or none. It must yield each request as soon as it is made. */
  async write<Names extends StoreNames<S>[]>(
    stores: Names,
    write: (transaction: IDBPTransaction<S, Names, 'readwrite'>) => Iterable<Promise<unknown>>,
  ): Promise<void> {
    await this.use(async (database) => {
      const transaction = database.transaction(stores, 'readwrite')
      const ignored = () => {}
      try {
        for (const request of write(transaction)) request.catch(ignored)
      } catch (cause) {
        // A value that cannot be cloned throws at once, after earlier requests were made.
        transaction.abort()
        await transaction.done.catch(ignored)
        throw cause
      }
      // A failed write ends the transaction, which reports the reason.
      await transaction.done
    })
  }

  #openingError(cause: unknown): LibraryError {
    const { things, without } = this.#options
    if (isNamed(cause, 'VersionError')) {
      return new LibraryError(
        `A newer version of this page, open in another tab, keeps the ${things} now. Reload this tab to use it.`,
        { cause },
      )
    }
    if (isNamed(cause, 'QuotaExceededError')) return this.#full(cause)
    return new LibraryError(
      `The browser does not let this page keep ${things} (a private window, or storage is switched off). ` +
        `Allow this site to keep data and reload the page; ${without}.`,
      { cause },
    )
  }

  #workError(cause: unknown): LibraryError {
    const { things } = this.#options
    if (isNamed(cause, 'QuotaExceededError')) return this.#full(cause)
    return new LibraryError(
      `The browser could not read or write the ${things} of this page. Reload the page; if it fails again, ` +
        `remove all ${things} and import them again.`,
      { cause },
    )
  }

  #full(cause: unknown): LibraryError {
    return new LibraryError(
      `The browser’s space for this page is full: ${this.#options.whenFull}. ` +
        'Free space on this disk, or remove kept runs with this site’s data in the browser’s settings; then import again.',
      { cause },
    )
  }
}
