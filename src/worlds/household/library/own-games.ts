/** A run on games that a person made: it trains on them, and is evaluated in small generated rooms. */
import { seededRandom, shuffled } from '../../random.ts'
import { generatedGames, type GameSource } from '../game-source.ts'
import type { GameLibrary } from './game-library.ts'
import { NoGamesError } from './imported-games.ts'

export function ownGames(library: GameLibrary): GameSource {
  const heldOut = generatedGames({ sceneSize: 'compact' })
  return {
    async sample(split, count, seed) {
      if (split !== 'train') return heldOut.sample(split, count, seed)
      const ids = (await library.list()).map(({ id }) => id).sort()
      if (ids.length === 0)
        throw new NoGamesError(
          'There are no games of your own in this browser. Make one under Set up, Games and problems.',
        )
      const drawn = shuffled(seededRandom('own games', seed), ids).slice(0, count)
      return (await library.get(drawn)).map(({ game }) => game)
    },
  }
}
