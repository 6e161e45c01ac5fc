/**
 * Imported games in the browser's IndexedDB, in a database of their own, which outlives every run. A game lies beside an
 * entry with its name, split and type, so that listing thousands of games reads none of them. What is put in together is
 * one transaction: a tab that closes meanwhile leaves whole games, each with its entry.
 */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import type { GameLibrary, LibraryEntry, LibraryGame } from './game-import.ts'

interface Schema extends DBSchema {
  games: { key: string; value: LibraryGame }
  entries: { key: string; value: LibraryEntry }
}

/** The browser keeps no games, or no more of them, or not for this version of the page. */
export class GameLibraryError extends Error {
  override readonly name = 'GameLibraryError'
}

export class IndexedDbGameLibrary implements GameLibrary {
  readonly #name: string
  #database: Promise<IDBPDatabase<Schema>> | null = null

  /** Nothing is opened before it is needed. */
  constructor(name = 'rlanything-games') {
    this.#name = name
  }

  async put(games: readonly LibraryGame[]): Promise<void> {
    await this.#use(async (database) => {
      const transaction = database.transaction(['games', 'entries'], 'readwrite')
      const stored = transaction.objectStore('games')
      const entries = transaction.objectStore('entries')
      try {
        for (const game of games) void Promise.all([stored.put(game), entries.put(entryOf(game))]).catch(() => {})
      } catch (cause) {
        // What cannot be cloned throws at once and would leave those before it.
        transaction.abort()
        await transaction.done.catch(() => {})
        throw cause
      }
      // A write that fails ends the transaction, which says why.
      await transaction.done
    })
  }

  /** By id. */
  list(): Promise<readonly LibraryEntry[]> {
    return this.#use((database) => database.getAll('entries'))
  }

  get(ids: readonly string[]): Promise<LibraryGame[]> {
    return this.#use(async (database) => {
      const { store, done } = database.transaction('games')
      const [found] = await Promise.all([Promise.all(ids.map((id) => store.get(id))), done])
      return found.filter((game) => game !== undefined)
    })
  }

  async clear(): Promise<void> {
    await this.#use(async (database) => {
      const transaction = database.transaction(['games', 'entries'], 'readwrite')
      await Promise.all([
        transaction.objectStore('games').clear(),
        transaction.objectStore('entries').clear(),
        transaction.done,
      ])
    })
  }

  async close(): Promise<void> {
    const database = this.#database
    this.#database = null
    ;(await database?.catch(() => null))?.close()
  }

  async #use<T>(work: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
    const database = await this.#open()
    try {
      return await work(database)
    } catch (cause) {
      throw libraryError(cause)
    }
  }

  #open(): Promise<IDBPDatabase<Schema>> {
    this.#database ??= openDB<Schema>(this.#name, 1, {
      upgrade(fresh) {
        fresh.createObjectStore('games', { keyPath: 'id' })
        fresh.createObjectStore('entries', { keyPath: 'id' })
      },
      // Another tab wants a newer version: let it. What this one asks for from then on is refused, and said why.
      blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
      // The browser has closed it, to delete this site's data for one: the next call opens it anew.
      terminated: () => (this.#database = null),
    }).catch((cause: unknown) => {
      this.#database = null
      throw openingError(cause)
    })
    return this.#database
  }
}

function entryOf({ id, split, game }: LibraryGame): LibraryEntry {
  return { id, split, taskType: game.goal.taskType }
}

const TAKEN_OVER =
  'A newer version of this page, open in another tab, keeps the games now. Reload this tab to go on with it.'

function openingError(cause: unknown): GameLibraryError {
  if (isNamed(cause, 'VersionError')) return new GameLibraryError(TAKEN_OVER, { cause })
  return new GameLibraryError(
    'The browser does not let this page keep games (a private window, or storage is switched off). ' +
      'Allow this site to keep data and reload the page; generated games can be played without.',
    { cause },
  )
}

function libraryError(cause: unknown): GameLibraryError {
  if (isNamed(cause, 'InvalidStateError')) return new GameLibraryError(TAKEN_OVER, { cause })
  if (isNamed(cause, 'QuotaExceededError')) {
    return new GameLibraryError(
      'The browser’s space for this page is full: the games before were kept, the rest were not. ' +
        'Free space on this disk, or remove kept runs with this site’s data in the browser’s settings; then import again.',
      { cause },
    )
  }
  return new GameLibraryError(
    'The browser could not read or write the games that it keeps for this page. Reload the page; if it fails again, ' +
      'remove all games and import them anew.',
    { cause },
  )
}

function isNamed(cause: unknown, name: string): boolean {
  return cause instanceof DOMException && cause.name === name
}
