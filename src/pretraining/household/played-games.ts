/** Games that policies of several strengths played, for the reward model to learn from: it has to judge what policies really do. */
import type { LanguageModelPort } from '../../method/ports.ts'
import type { HouseholdGame } from '../../worlds/household/engine/game.ts'
import { HouseholdEnvironment } from '../../worlds/household/environment.ts'
import { generateGame } from '../../worlds/household/generator/generate-game.ts'
import type { Move } from '../../worlds/household/roles/demonstrations.ts'
import { householdFormats } from '../../worlds/household/roles/plain-roles.ts'
import { playEpisodes } from '../measure-roles.ts'

export interface PlayedGame {
  game: HouseholdGame
  moves: Move[]
}

export interface PlayRecipe {
  /** A multiple of `GAMES_AT_ONCE`. */
  gamesOfEachPlayer: number
  maxSteps: number
}

export const GAMES_AT_ONCE = 250
/** Seeds of the games. Each batch has seeds of its own, so every player plays other games. */
const FIRST_GAME = 20_000_000
const BATCH_DISTANCE = 100_000
const PLAYER_DISTANCE = 50
const SEED_DISTANCE = 1000

/** Plays at temperature 1, as in a run. Returns the games player by player; `onBatch` is called after every batch. */
export async function playGames(
  players: readonly LanguageModelPort[],
  { gamesOfEachPlayer, maxSteps }: PlayRecipe,
  seed: number,
  onBatch: (playedGames: number) => void = () => {},
): Promise<PlayedGame[]> {
  const played: PlayedGame[] = []
  for (const [index, player] of players.entries()) {
    for (let batch = 0; batch < gamesOfEachPlayer / GAMES_AT_ONCE; batch++) {
      const batchSeed = seed * SEED_DISTANCE + index * PLAYER_DISTANCE + batch
      played.push(...(await playBatch(player, batchSeed, maxSteps)))
      onBatch(played.length)
    }
  }
  return played
}

async function playBatch(player: LanguageModelPort, seed: number, maxSteps: number): Promise<PlayedGame[]> {
  const games = Array.from({ length: GAMES_AT_ONCE }, (_, index) =>
    generateGame({ seed: FIRST_GAME + seed * BATCH_DISTANCE + index, split: 'train', sceneSize: 'compact' }),
  )
  const environment = new HouseholdEnvironment({ games: { sample: () => Promise.resolve(games) } })
  const options = { split: 'train', tasks: games.length, maxSteps, seed } as const
  const episodes = await playEpisodes(player, environment, householdFormats, options)
  return episodes.map(({ steps }, index) => ({
    game: games[index]!,
    moves: steps.map(({ thought, command }) => ({ thought, command })),
  }))
}
