/** The official games whose counts the generator follows, if present. They are not part of this project. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { taskSentence, type HouseholdGame } from '../../../src/worlds/household/engine/game.ts'
import { readOfficialGames } from './official-games.ts'

/** The file with the games, in the folder that ALFWORLD_DATA names or in one beside the repository; null if there is none. */
export function officialGamesFile(): string | null {
  const folder = process.env.ALFWORLD_DATA ?? resolve(import.meta.dirname, '../../../../shared/alfworld')
  const file = join(folder, 'alfworld_compact_v1.json.gz')
  return existsSync(file) ? file : null
}

/** The 3,827 games of training and both validation splits, without the 200 unused ones of "valid_train". */
export function countedGames(file: string): HouseholdGame[] {
  return [...readOfficialGames(file)].flatMap(([id, { game, goalText }]) => {
    if (id.startsWith('valid_train/')) return []
    const second: HouseholdGame = { ...game, phrasing: 1 }
    return [taskSentence(second) === `${goalText}.` ? second : game]
  })
}
