/** The household world: samples tasks, steps episodes, and applies what the author writes. */
import { exposeService } from '../src/engines/worker-bridge.ts'
import { HouseholdEnvironment } from '../src/environments/household/environment.ts'
import { generatedGames } from '../src/environments/household/game-source.ts'

exposeService(new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) }))

export type EnvironmentWorker = HouseholdEnvironment
