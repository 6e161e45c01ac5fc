/**
 * Imported problems in the browser's IndexedDB. Each problem is a record of its own, because browsers cannot transfer records of
 * more than about a hundred megabytes. Each file has an entry, so listing reads no problems. Each file is one transaction: if
 * the tab closes during it, the file is stored whole or not at all.
 */
import type { DBSchema } from 'idb'
import type { ImportedProblem } from '../problem-source.ts'
import { LibraryDatabase } from '../../../storage/library-database.ts'
import { entryOf, type ProblemFile, type ProblemFileEntry, type ProblemLibrary } from './problem-library.ts'

interface Schema extends DBSchema {
  /** By file name and index in the file. */
  problems: { key: [string, number]; value: ImportedProblem }
  entries: { key: string; value: ProblemFileEntry }
}

/** Number of problems to read at a time. */
const BATCH = 100

/** All methods throw a LibraryError if the browser's storage fails. */
export class IndexedDbProblemLibrary implements ProblemLibrary {
  readonly #database: LibraryDatabase<Schema>

  constructor(name = 'rlanything-problems') {
    this.#database = new LibraryDatabase<Schema>({
      name,
      things: 'problems',
      without: 'generated problems can be posed without',
      whenFull: 'the file was not kept, those before it were',
      createStores(fresh) {
        fresh.createObjectStore('problems')
        fresh.createObjectStore('entries', { keyPath: 'name' })
      },
    })
  }

  put(file: ProblemFile): Promise<void> {
    return this.#database.write(['problems', 'entries'], function* (transaction) {
      const stored = transaction.objectStore('problems')
      yield stored.delete(allOf(file.name))
      for (const [index, problem] of file.problems.entries()) yield stored.put(problem, [file.name, index])
      yield transaction.objectStore('entries').put(entryOf(file))
    })
  }

  list(): Promise<readonly ProblemFileEntry[]> {
    return this.#database.use((database) => database.getAll('entries'))
  }

  problems(): Promise<ImportedProblem[]> {
    return this.#database.use(async (database) => {
      const { store, done } = database.transaction('problems')
      const all: ImportedProblem[] = []
      let range: IDBKeyRange | undefined
      for (;;) {
        const [keys, batch] = await Promise.all([store.getAllKeys(range, BATCH), store.getAll(range, BATCH)])
        for (const problem of batch) all.push(problem)
        const last = keys.at(-1)
        if (last === undefined || keys.length < BATCH) break
        range = IDBKeyRange.lowerBound(last, true)
      }
      await done
      return all
    })
  }

  delete(name: string): Promise<void> {
    return this.#database.write(['problems', 'entries'], (transaction) => [
      transaction.objectStore('problems').delete(allOf(name)),
      transaction.objectStore('entries').delete(name),
    ])
  }
}

/** All keys with this name: numbers sort before lists. */
function allOf(name: string): IDBKeyRange {
  return IDBKeyRange.bound([name], [name, []])
}
