/** Draws the games of a run from the library. */
import type { GameSource } from '../game-source.ts'
import { seededRandom, shuffled } from '../../random.ts'
import type { Split } from '../../../method/ports.ts'
import type { GameLibrary, OfficialSplit } from './game-library.ts'

/** ALFWorld's folder for each of our splits: `id` has the floor plans of training, `ood` has others. */
export const OFFICIAL_SPLIT_OF: Readonly<Record<Split, OfficialSplit>> = {
  train: 'train',
  id: 'valid_seen',
  ood: 'valid_unseen',
}

/** The library has no games of a split. */
export class NoGamesError extends Error {
  override readonly name = 'NoGamesError'
}

/** Draws without replacement. The seed and the library's games determine the draw; the order of imports does not matter. */
export function libraryGames(library: GameLibrary): GameSource {
  return {
    async sample(split, count, seed) {
      const official = OFFICIAL_SPLIT_OF[split]
      const ids = (await library.list()).filter((entry) => entry.split === official).map(({ id }) => id)
      if (ids.length === 0) {
        throw new NoGamesError(
          `There are no games of ALFWorld's folder "${official}". Import the released games, or a folder of that name ` +
            `with games in it${split === 'train' ? '' : ', or set evaluationTasks to 0'}.`,
        )
      }
      const drawn = shuffled(seededRandom('library', official, seed), ids.sort()).slice(0, count)
      return (await library.get(drawn)).map(({ game }) => game)
    },
  }
}
