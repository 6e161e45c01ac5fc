/** The household world: samples tasks, steps episodes, and applies the author's rewrites. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { RunEnvironment } from '../src/worlds/household/run-environment.ts'
import { IndexedDbGameLibrary, OWN_GAMES } from '../src/worlds/household/library/indexeddb-library.ts'

exposeService(new RunEnvironment(new IndexedDbGameLibrary(), new IndexedDbGameLibrary(OWN_GAMES)))

export type EnvironmentWorker = RunEnvironment
