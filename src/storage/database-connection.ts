/**
 * A connection to a database of the browser. Opens on first use, and again after it was closed: by a newer version of the page in another
 * tab, for which it makes way, or by the browser, as when this site's data is deleted.
 */
import { openDB, type DBSchema, type IDBPDatabase, type OpenDBCallbacks } from 'idb'
import { databaseName } from './deployment.ts'

type Upgrade<S extends DBSchema> = NonNullable<OpenDBCallbacks<S>['upgrade']>

export class DatabaseConnection<S extends DBSchema> {
  readonly #name: string
  readonly #version: number
  readonly #upgrade: Upgrade<S>
  #database: Promise<IDBPDatabase<S>> | null = null

  /** Opens nothing yet. */
  constructor(name: string, version: number, upgrade: Upgrade<S>) {
    this.#name = name
    this.#version = version
    this.#upgrade = upgrade
  }

  /** Rejects as `indexedDB.open` does: with a VersionError if a newer version of the page keeps the database. */
  open(): Promise<IDBPDatabase<S>> {
    this.#database ??= this.#openNew()
    // So that the next call tries again.
    this.#database.catch(() => (this.#database = null))
    return this.#database
  }

  async close(): Promise<void> {
    const database = this.#database
    this.#database = null
    ;(await database?.catch(() => null))?.close()
  }

  async #openNew(): Promise<IDBPDatabase<S>> {
    return openDB<S>(await databaseName(this.#name), this.#version, {
      upgrade: this.#upgrade,
      blocking: (_current, _blocked, event) => {
        ;(event.target as IDBDatabase).close()
        this.#database = null
      },
      terminated: () => (this.#database = null),
    })
  }
}

/** Whether the browser threw an error of this name: "VersionError", "QuotaExceededError". */
export function isNamed(cause: unknown, name: string): boolean {
  return cause instanceof DOMException && cause.name === name
}
