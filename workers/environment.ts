/** The household world: samples tasks, steps episodes, and applies what the author writes. */
import { exposeService } from '../src/engines/worker-bridge.ts'
import { HouseholdEnvironment } from '../src/environments/household/environment.ts'

exposeService(new HouseholdEnvironment({ sceneSize: 'compact' }))

export type EnvironmentWorker = HouseholdEnvironment
