/**
 * A database of imported things (games, problems) in the browser's IndexedDB, independent of runs. Opens on first use, makes
 * way for a newer version of the page in another tab, and explains failures in terms of what it keeps.
 */
import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction, type StoreNames } from 'idb'
import { databaseName } from './deployment.ts'

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
  #database: Promise<IDBPDatabase<S>> | null = null

  /** Opens nothing yet. */
  constructor(options: LibraryDatabaseOptions<S>) {
    this.#options = options
  }

  /** Converts every error into a LibraryError. */
  async use<T>(work: (database: IDBPDatabase<S>) => Promise<T>): Promise<T> {
    const database = await this.#open()
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

  async close(): Promise<void> {
    const database = this.#database
    this.#database = null
    ;(await database?.catch(() => null))?.close()
  }

  #open(): Promise<IDBPDatabase<S>> {
    const { name, createStores } = this.#options
    const open = (ownName: string) =>
      openDB<S>(ownName, 1, {
        upgrade: (fresh) => createStores(fresh),
        // Makes way for another tab with a newer version. Later calls in this tab throw #takenOver.
        blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
        // The browser has closed it, for example to delete this site's data. The next call opens it again.
        terminated: () => (this.#database = null),
      })
    this.#database ??= databaseName(name)
      .then(open)
      .catch((cause: unknown) => {
        this.#database = null
        throw this.#openingError(cause)
      })
    return this.#database
  }

  #openingError(cause: unknown): LibraryError {
    const { things, without } = this.#options
    if (isNamed(cause, 'VersionError')) return this.#takenOver(cause)
    if (isNamed(cause, 'QuotaExceededError')) return this.#full(cause)
    return new LibraryError(
      `The browser does not let this page keep ${things} (a private window, or storage is switched off). ` +
        `Allow this site to keep data and reload the page; ${without}.`,
      { cause },
    )
  }

  #workError(cause: unknown): LibraryError {
    const { things } = this.#options
    if (isNamed(cause, 'InvalidStateError')) return this.#takenOver(cause)
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

  #takenOver(cause: unknown): LibraryError {
    return new LibraryError(
      `A newer version of this page, open in another tab, keeps the ${this.#options.things} now. ` +
        'Reload this tab to use it.',
      { cause },
    )
  }
}

function isNamed(cause: unknown, name: string): boolean {
  return cause instanceof DOMException && cause.name === name
}
