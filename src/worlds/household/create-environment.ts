/** The environment that a run's settings describe: what `games`, `dialect` and `explainRefusals` mean. */
import { HouseholdEnvironment } from './environment.ts'
import { generatedGames } from './game-source.ts'
import { DEFAULTS, definedEntries, type Settings } from '../../method/settings.ts'
import type { GameLibrary } from './library/game-library.ts'
import { libraryGames, NoGamesError } from './library/imported-games.ts'
import { ownGames } from './library/own-games.ts'

export type HouseholdSettings = Pick<Settings, 'games' | 'dialect' | 'explainRefusals'>

/** Missing settings have their defaults. Throws NoGamesError if games of a library are required that is not there. */
export function createEnvironment(
  settings: Partial<HouseholdSettings>,
  library: GameLibrary | null,
  own: GameLibrary | null = null,
): HouseholdEnvironment {
  const { games, dialect, explainRefusals }: HouseholdSettings = { ...DEFAULTS, ...definedEntries(settings) }
  if (games === 'own') {
    if (own === null)
      throw new NoGamesError('This run plays games that are made on the page. Run it there, or set games to compact.')
    return new HouseholdEnvironment({ games: ownGames(own), dialect, explainRefusals })
  }
  if (games !== 'official') {
    return new HouseholdEnvironment({ games: generatedGames({ sceneSize: games }), dialect, explainRefusals })
  }
  if (library === null) {
    throw new NoGamesError(
      "This run plays ALFWorld's own games, and none were imported. Import them, or set games to full.",
    )
  }
  return new HouseholdEnvironment({ games: libraryGames(library), dialect, explainRefusals })
}
