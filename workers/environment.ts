/** The household world: samples tasks, steps episodes, and applies what the author writes. */
import { exposeService } from '../src/engines/worker-bridge.ts'
import { HouseholdService } from '../src/games/household-service.ts'
import { IndexedDbGameLibrary } from '../src/games/indexeddb-library.ts'

exposeService(new HouseholdService(new IndexedDbGameLibrary()))

export type EnvironmentWorker = HouseholdService
