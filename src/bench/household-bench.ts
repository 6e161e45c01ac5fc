/** The household world as benchmarks run it. */
import { HouseholdEnvironment } from '../worlds/household/environment.ts'
import { generatedGames } from '../worlds/household/game-source.ts'
import { householdFormats } from '../worlds/household/roles/plain-roles.ts'
import { presetSettings } from '../method/presets.ts'
import type { Settings } from '../method/settings.ts'
import type { BenchWorld } from './loop-iteration.ts'

export const householdWorld: Pick<BenchWorld, 'preset' | 'open'> = {
  preset: 'household',
  open: () => ({
    environment: new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) }),
    formats: householdFormats,
    close() {},
  }),
}

/** The household preset, without held-out evaluations, which are not part of an iteration. */
export const householdSettings = (patch: Partial<Settings>): Settings => ({
  ...presetSettings('household'),
  evaluateEvery: 0,
  ...patch,
})
