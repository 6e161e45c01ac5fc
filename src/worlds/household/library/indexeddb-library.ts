/**
 * Imported games in the browser's IndexedDB. Each game has an entry with its id, split and type, so listing thousands of games
 * reads none of them. Each `put` is one transaction: if the tab closes during it, every stored game is whole and has its
 * entry.
 */
import type { DBSchema } from 'idb'
import { LibraryDatabase } from '../../../storage/library-database.ts'
import { entryOf, type GameLibrary, type LibraryEntry, type LibraryGame } from './game-library.ts'

interface Schema extends DBSchema {
  games: { key: string; value: LibraryGame }
  entries: { key: string; value: LibraryEntry }
}

/** Name of the library of games that a person made. */
export const OWN_GAMES = 'rlanything-own-games'

/** All methods throw a LibraryError if the browser's storage fails. */
export class IndexedDbGameLibrary implements GameLibrary {
  readonly #database: LibraryDatabase<Schema>

  constructor(name = 'rlanything-games') {
    this.#database = new LibraryDatabase<Schema>({
      name,
      things: 'games',
      without: 'generated games can be played without',
      whenFull: 'the games before were kept, the rest were not',
      createStores(fresh) {
        fresh.createObjectStore('games', { keyPath: 'id' })
        fresh.createObjectStore('entries', { keyPath: 'id' })
      },
    })
  }

  put(games: readonly LibraryGame[]): Promise<void> {
    return this.#database.write(['games', 'entries'], function* (transaction) {
      for (const game of games) {
        yield transaction.objectStore('games').put(game)
        yield transaction.objectStore('entries').put(entryOf(game))
      }
    })
  }

  list(): Promise<readonly LibraryEntry[]> {
    return this.#database.use((database) => database.getAll('entries'))
  }

  get(ids: readonly string[]): Promise<LibraryGame[]> {
    return this.#database.use(async (database) => {
      const { store, done } = database.transaction('games')
      const [found] = await Promise.all([Promise.all(ids.map((id) => store.get(id))), done])
      return found.filter((game) => game !== undefined)
    })
  }

  remove(id: string): Promise<void> {
    return this.#database.write(['games', 'entries'], (transaction) => [
      transaction.objectStore('games').delete(id),
      transaction.objectStore('entries').delete(id),
    ])
  }

  clear(): Promise<void> {
    return this.#database.write(['games', 'entries'], (transaction) => [
      transaction.objectStore('games').clear(),
      transaction.objectStore('entries').clear(),
    ])
  }
}
