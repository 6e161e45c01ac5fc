/** An IndexedDB in memory, empty, for the test file that calls this: files share a process, and would find what others left there. */
import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'

export function freshDatabases(): void {
  globalThis.indexedDB = new IDBFactory()
}
