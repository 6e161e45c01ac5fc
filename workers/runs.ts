/** Reads, packs and unpacks the kept runs for the page. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { IndexedDbRunStore } from '../src/runs/indexeddb-store.ts'
import { RunLibrary } from '../src/runs/run-library.ts'

exposeService(new RunLibrary(() => IndexedDbRunStore.open()))

export type RunsWorker = RunLibrary
