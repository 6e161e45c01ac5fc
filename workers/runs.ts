/** Reads, packs and unpacks the kept runs for the page. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { IndexedDbRunStore } from '../src/runs/indexeddb-store.ts'
import { runLocks } from '../src/runs/run-locks.ts'
import { RunLibrary } from '../src/runs/run-library.ts'

exposeService(new RunLibrary(() => IndexedDbRunStore.open(), runLocks()))

export type RunsWorker = RunLibrary
