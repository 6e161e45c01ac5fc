/** Where the games of a run come from: the generator, or the library of imported games. */
import type { Split } from '../../method/ports.ts'
import type { HouseholdGame, SceneSize } from './engine/game.ts'
import { generateGame } from './generator/generate-game.ts'
import { hashOf } from '../random.ts'

export interface GameSource {
  /** Draws `count` different games of a split, or all if there are fewer. Depends only on the seed. */
  sample(split: Split, count: number, seed: number): Promise<HouseholdGame[]>
}

export function generatedGames({ sceneSize }: { sceneSize: SceneSize }): GameSource {
  return {
    async sample(split, count, seed) {
      return Array.from({ length: count }, (_, index) =>
        generateGame({ seed: hashOf('task', seed, index), split, sceneSize }),
      )
    },
  }
}
