/** Where the games of a run come from: a generator without end, or a library of imported ones. */
import type { Split } from '../../method/ports.ts'
import type { HouseholdGame, SceneSize, TaskType } from './engine/game.ts'
import { generateGame } from './generator/generate-game.ts'
import { hashOf } from '../random.ts'

export interface GameSource {
  /** `count` different games of a split, or all where there are fewer; the same for the same seed. */
  sample(split: Split, count: number, seed: number): Promise<HouseholdGame[]>
}

interface GeneratedGamesOptions {
  sceneSize: SceneSize
  /** All six if left out. */
  taskTypes?: readonly TaskType[]
}

export function generatedGames({ sceneSize, taskTypes }: GeneratedGamesOptions): GameSource {
  return {
    async sample(split, count, seed) {
      return Array.from({ length: count }, (_, index) =>
        generateGame({ seed: hashOf('task', seed, index), split, sceneSize, taskTypes }),
      )
    },
  }
}
