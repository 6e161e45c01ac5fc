/** The household world: samples tasks, steps episodes, and applies what the author writes. */
import { exposeService } from '../src/threads/worker-bridge.ts'
import { HouseholdService } from '../src/worlds/household/household-service.ts'
import { IndexedDbGameLibrary } from '../src/worlds/household/library/indexeddb-library.ts'

exposeService(new HouseholdService(new IndexedDbGameLibrary()))

export type EnvironmentWorker = HouseholdService
