/** The household's games that policies play for the reward model. */
import { HouseholdEnvironment } from '../../worlds/household/environment.ts'
import type { HouseholdGame } from '../../worlds/household/engine/game.ts'
import { generateGame } from '../../worlds/household/generator/generate-game.ts'
import { householdFormats } from '../../worlds/household/roles/plain-roles.ts'
import type { PlayedWorld } from '../played-games.ts'

export const PLAYED_HOUSEHOLD: PlayedWorld<HouseholdGame> = {
  gameOf: (seed) => generateGame({ seed, split: 'train', sceneSize: 'compact' }),
  environmentOf: (games) => new HouseholdEnvironment({ games: { sample: () => Promise.resolve([...games]) } }),
  formats: householdFormats,
}
