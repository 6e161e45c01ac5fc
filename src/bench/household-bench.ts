/** The household world as benchmarks run it. */
import { HouseholdEnvironment } from '../worlds/household/environment.ts'
import { generatedGames } from '../worlds/household/game-source.ts'
import { householdFormats } from '../worlds/household/roles/plain-roles.ts'
import type { BenchWorld } from './loop-iteration.ts'

export const householdWorld: Pick<BenchWorld, 'preset' | 'open'> = {
  preset: 'household',
  open: () => ({
    environment: new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) }),
    formats: householdFormats,
    close() {},
  }),
}
