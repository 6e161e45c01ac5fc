/** The household world: samples tasks, steps episodes, and applies what the author writes. */
import { exposeService } from '../src/engines/worker-bridge.ts'
import { HouseholdService } from '../src/environments/household/index.ts'

exposeService(new HouseholdService())

export type EnvironmentWorker = HouseholdService
