/** Games that policies of several strengths played, for the reward model to learn from: it has to judge what policies really do. */
import type { EnvironmentPort, LanguageModelPort, RoleFormats } from '../method/ports.ts'
import type { Move } from '../worlds/plain/demonstration.ts'
import { playEpisodes } from './measure-roles.ts'

export interface PlayedGame<Game> {
  game: Game
  moves: Move[]
}

export interface PlayRecipe {
  /** A multiple of `GAMES_AT_ONCE`. */
  gamesOfEachPlayer: number
  maxSteps: number
}

export interface PlayedWorld<Game> {
  gameOf(seed: number): Game
  /** An environment that draws these games. */
  environmentOf(games: readonly Game[]): EnvironmentPort
  formats: RoleFormats
}

export const GAMES_AT_ONCE = 250
/** Seeds of the games. Each batch has seeds of its own, so every player plays other games. */
const FIRST_GAME = 20_000_000
const BATCH_DISTANCE = 100_000
const PLAYER_DISTANCE = 50
const SEED_DISTANCE = 1000

/** Plays at temperature 1, as in a run. Returns the games player by player; `onBatch` is called after every batch. */
export async function playGames<Game>(
  world: PlayedWorld<Game>,
  players: readonly LanguageModelPort[],
  { gamesOfEachPlayer, maxSteps }: PlayRecipe,
  seed: number,
  onBatch: (playedGames: number) => void = () => {},
): Promise<PlayedGame<Game>[]> {
  const played: PlayedGame<Game>[] = []
  for (const [index, player] of players.entries()) {
    for (let batch = 0; batch < gamesOfEachPlayer / GAMES_AT_ONCE; batch++) {
      const batchSeed = seed * SEED_DISTANCE + index * PLAYER_DISTANCE + batch
      played.push(...(await playBatch(world, player, batchSeed, maxSteps)))
      onBatch(played.length)
    }
  }
  return played
}

async function playBatch<Game>(
  { gameOf, environmentOf, formats }: PlayedWorld<Game>,
  player: LanguageModelPort,
  seed: number,
  maxSteps: number,
): Promise<PlayedGame<Game>[]> {
  const games = Array.from({ length: GAMES_AT_ONCE }, (_, index) => gameOf(FIRST_GAME + seed * BATCH_DISTANCE + index))
  const options = { split: 'train', tasks: games.length, maxSteps, seed } as const
  const episodes = await playEpisodes(player, environmentOf(games), formats, options)
  return episodes.map(({ steps }, index) => ({
    game: games[index]!,
    moves: steps.map(({ thought, command }) => ({ thought, command })),
  }))
}
