/**
 * Imported problems in the browser's IndexedDB, in a database of their own, which outlives every run. Each problem is a
 * record, for a browser moves no record of more than about a hundred megabytes; beside them lies an entry for each file, so
 * that listing reads none of them. A file is one transaction: a tab that closes meanwhile leaves it whole or not at all.
 */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import type { ImportedProblem } from '../environments/coding/problem-source.ts'
import { entryOf, type ProblemFile, type ProblemFileEntry, type ProblemLibrary } from './problem-library.ts'

interface Schema extends DBSchema {
  /** By the file's name and the problem's place in it. */
  problems: { key: [string, number]; value: ImportedProblem }
  entries: { key: string; value: ProblemFileEntry }
}

/** Problems that are read at a time. */
const BATCH = 100

/** The browser keeps no problems, or no more of them, or not for this version of the page. */
export class ProblemLibraryError extends Error {
  override readonly name = 'ProblemLibraryError'
}

export class IndexedDbProblemLibrary implements ProblemLibrary {
  readonly #name: string
  #database: Promise<IDBPDatabase<Schema>> | null = null

  /** Nothing is opened before it is needed. */
  constructor(name = 'rlanything-problems') {
    this.#name = name
  }

  async put(file: ProblemFile): Promise<void> {
    await this.#use(async (database) => {
      const transaction = database.transaction(['problems', 'entries'], 'readwrite')
      const stored = transaction.objectStore('problems')
      const ignored = () => {}
      try {
        void stored.delete(allOf(file.name)).catch(ignored)
        for (const [index, problem] of file.problems.entries()) {
          void stored.put(problem, [file.name, index]).catch(ignored)
        }
        void transaction.objectStore('entries').put(entryOf(file)).catch(ignored)
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

  list(): Promise<readonly ProblemFileEntry[]> {
    return this.#use((database) => database.getAll('entries'))
  }

  problems(): Promise<ImportedProblem[]> {
    return this.#use(async (database) => {
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

  async delete(name: string): Promise<void> {
    await this.#remove(allOf(name), name)
  }

  async clear(): Promise<void> {
    await this.#remove()
  }

  async close(): Promise<void> {
    const database = this.#database
    this.#database = null
    ;(await database?.catch(() => null))?.close()
  }

  /** All, where nothing is named. */
  async #remove(problems?: IDBKeyRange, name?: string): Promise<void> {
    await this.#use(async (database) => {
      const transaction = database.transaction(['problems', 'entries'], 'readwrite')
      const stored = transaction.objectStore('problems')
      const entries = transaction.objectStore('entries')
      await Promise.all([
        problems === undefined ? stored.clear() : stored.delete(problems),
        name === undefined ? entries.clear() : entries.delete(name),
        transaction.done,
      ])
    })
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
        fresh.createObjectStore('problems')
        fresh.createObjectStore('entries', { keyPath: 'name' })
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

/** Every key that begins with the name: numbers come before lists. */
function allOf(name: string): IDBKeyRange {
  return IDBKeyRange.bound([name], [name, []])
}

const TAKEN_OVER =
  'A newer version of this page, open in another tab, keeps the problems now. Reload this tab to go on with it.'

function openingError(cause: unknown): ProblemLibraryError {
  if (isNamed(cause, 'VersionError')) return new ProblemLibraryError(TAKEN_OVER, { cause })
  return new ProblemLibraryError(
    'The browser does not let this page keep problems (a private window, or storage is switched off). ' +
      'Allow this site to keep data and reload the page; generated problems can be posed without.',
    { cause },
  )
}

function libraryError(cause: unknown): ProblemLibraryError {
  if (isNamed(cause, 'InvalidStateError')) return new ProblemLibraryError(TAKEN_OVER, { cause })
  if (isNamed(cause, 'QuotaExceededError')) {
    return new ProblemLibraryError(
      'The browser’s space for this page is full: the file was not kept, those before it were. ' +
        'Free space on this disk, or remove kept runs with this site’s data in the browser’s settings; then import again.',
      { cause },
    )
  }
  return new ProblemLibraryError(
    'The browser could not read or write the problems that it keeps for this page. Reload the page; if it fails again, ' +
      'remove all problems and import them anew.',
    { cause },
  )
}

function isNamed(cause: unknown, name: string): boolean {
  return cause instanceof DOMException && cause.name === name
}
