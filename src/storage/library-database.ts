/**
 * A database of imported things (games, problems) in the browser's IndexedDB, which outlives every run: opened when it is
 * needed, given up to a newer version of the page in another tab, and every failure told in words of what it keeps.
 */
import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction, type StoreNames } from 'idb'

/** The browser keeps nothing of the kind, or no more of it, or not for this version of the page. */
export class LibraryError extends Error {
  override readonly name = 'LibraryError'
}

export interface LibraryDatabaseOptions<S extends DBSchema> {
  name: string
  /** What is kept, in the plural: "games". */
  things: string
  /** What can be done where nothing can be kept; ends its sentence. */
  without: string
  /** What is kept of an import that no longer fits; begins after a colon. */
  whenFull: string
  createStores: (fresh: IDBPDatabase<S>) => void
}

export class LibraryDatabase<S extends DBSchema> {
  readonly #options: LibraryDatabaseOptions<S>
  #database: Promise<IDBPDatabase<S>> | null = null

  /** Nothing is opened before it is needed. */
  constructor(options: LibraryDatabaseOptions<S>) {
    this.#options = options
  }

  /** Throws LibraryError for whatever goes wrong. */
  async use<T>(work: (database: IDBPDatabase<S>) => Promise<T>): Promise<T> {
    const database = await this.#open()
    try {
      return await work(database)
    } catch (cause) {
      throw this.#workError(cause)
    }
  }

  /** All that `write` starts is kept together, or nothing of it. It yields each request as soon as it is made. */
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
        // What cannot be cloned throws at once and would leave those before it.
        transaction.abort()
        await transaction.done.catch(ignored)
        throw cause
      }
      // A write that fails ends the transaction, which says why.
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
    this.#database ??= openDB<S>(name, 1, {
      upgrade: (fresh) => createStores(fresh),
      // Another tab wants a newer version: let it. What this one asks for from then on is refused, and said why.
      blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
      // The browser has closed it, to delete this site's data for one: the next call opens it anew.
      terminated: () => (this.#database = null),
    }).catch((cause: unknown) => {
      this.#database = null
      throw this.#openingError(cause)
    })
    return this.#database
  }

  #openingError(cause: unknown): LibraryError {
    const { things, without } = this.#options
    if (isNamed(cause, 'VersionError')) return this.#takenOver(cause)
    return new LibraryError(
      `The browser does not let this page keep ${things} (a private window, or storage is switched off). ` +
        `Allow this site to keep data and reload the page; ${without}.`,
      { cause },
    )
  }

  #workError(cause: unknown): LibraryError {
    const { things, whenFull } = this.#options
    if (isNamed(cause, 'InvalidStateError')) return this.#takenOver(cause)
    if (isNamed(cause, 'QuotaExceededError')) {
      return new LibraryError(
        `The browser’s space for this page is full: ${whenFull}. ` +
          'Free space on this disk, or remove kept runs with this site’s data in the browser’s settings; then import again.',
        { cause },
      )
    }
    return new LibraryError(
      `The browser could not read or write the ${things} that it keeps for this page. Reload the page; if it fails again, ` +
        `remove all ${things} and import them anew.`,
      { cause },
    )
  }

  #takenOver(cause: unknown): LibraryError {
    return new LibraryError(
      `A newer version of this page, open in another tab, keeps the ${this.#options.things} now. ` +
        'Reload this tab to go on with it.',
      { cause },
    )
  }
}

function isNamed(cause: unknown, name: string): boolean {
  return cause instanceof DOMException && cause.name === name
}
