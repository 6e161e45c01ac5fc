/** The household that a run's settings ask for: what `games`, `dialect` and `explainRefusals` mean, for page and command line alike. */
import { HouseholdEnvironment } from './environment.ts'
import { generatedGames } from './game-source.ts'
import { DEFAULTS, definedEntries, type Settings } from '../../method/settings.ts'
import type { GameLibrary } from './library/game-library.ts'
import { libraryGames, NoGamesError } from './library/imported-games.ts'

export type HouseholdSettings = Pick<Settings, 'games' | 'dialect' | 'explainRefusals'>

/**
 * Settings that a log from before them lacks are at their defaults. Throws NoGamesError if imported games are asked for
 * where there is no library.
 */
export function openHousehold(settings: Partial<HouseholdSettings>, library: GameLibrary | null): HouseholdEnvironment {
  const { games, dialect, explainRefusals }: HouseholdSettings = { ...DEFAULTS, ...definedEntries(settings) }
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
