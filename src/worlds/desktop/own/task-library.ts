/** Tasks that a person made, in the browser's IndexedDB. */
import type { DBSchema } from 'idb'
import { LibraryDatabase } from '../../../storage/library-database.ts'
import type { DesktopGame } from '../engine/game.ts'

interface Schema extends DBSchema {
  tasks: { key: string; value: DesktopGame }
}

/** All methods throw a LibraryError if the browser's storage fails. */
export class OwnTaskLibrary {
  readonly #database = new LibraryDatabase<Schema>({
    name: 'rlanything-own-desktop-tasks',
    things: 'tasks',
    without: 'generated tasks can be trained on without',
    whenFull: 'the tasks before were kept, this one was not',
    createStores: (fresh) => fresh.createObjectStore('tasks', { keyPath: 'id' }),
  })

  /** Replaces the same task. */
  put(game: DesktopGame): Promise<void> {
    return this.#database.write(['tasks'], (transaction) => [transaction.objectStore('tasks').put(game)])
  }

  list(): Promise<DesktopGame[]> {
    return this.#database.use((database) => database.getAll('tasks'))
  }

  remove(id: string): Promise<void> {
    return this.#database.write(['tasks'], (transaction) => [transaction.objectStore('tasks').delete(id)])
  }
}
