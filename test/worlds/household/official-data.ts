/**
 * Finds the official games, which are not part of this project, in the folder `ALFWORLD_DATA` or in `../shared/alfworld`
 * beside the repository. The folder has game files as released (`game.tw-pddl`, somewhere below it), or all games re-encoded
 * as one file (`alfworld_compact_v1.json.gz`), or both.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { taskSentence } from '../../../src/worlds/household/engine/game.ts'
import { readTwPddl } from '../../../src/worlds/household/official/tw-pddl.ts'
import { readOfficialGames, type OfficialGame } from './official-games.ts'

const repository = resolve(import.meta.dirname, '../../..')
const named = process.env.ALFWORLD_DATA
const folder = resolve(named ? named : join(repository, '../shared/alfworld'))
const pack = join(folder, 'alfworld_compact_v1.json.gz')

export interface GameFile {
  /** "train/pick_and_place_simple-Mug-None-Desk-308/trial_T2019…": split, task and trial. */
  id: string
  path: string
}

function gameFilesIn(parent: string): GameFile[] {
  return readdirSync(parent, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name === 'game.tw-pddl')
    .map((entry) => ({ id: entry.parentPath.split(sep).slice(-3).join('/'), path: join(entry.parentPath, entry.name) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Game files as released, by id; none if there are none. */
export const gameFiles: readonly GameFile[] = existsSync(folder) ? gameFilesIn(folder) : []

/** A game file as released, read by this project's importer. */
export function importedGame({ id, path }: GameFile): OfficialGame {
  const { game, walkthrough } = readTwPddl(readFileSync(path, 'utf8'), `${id}/game.tw-pddl`)
  return { game, goalText: taskSentence(game).replace(/\.$/, ''), walkthrough }
}

let games: Map<string, OfficialGame> | undefined

/** All games by id: from the re-encoded file if there is one, else from the game files. */
export function officialGames(): ReadonlyMap<string, OfficialGame> {
  games ??= existsSync(pack) ? readOfficialGames(pack) : new Map(gameFiles.map((file) => [file.id, importedGame(file)]))
  return games
}

const whence = named ? `ALFWORLD_DATA (${folder})` : `ALFWORLD_DATA, which is not set, or in ${folder}`

/** Why tests that need released game files are skipped; null if they run. */
export const noGameFiles = gameFiles.length > 0 ? null : `there is no game.tw-pddl below ${whence}`

/** Why tests that need the re-encoded file are skipped; null if they run. */
export const noPack = existsSync(pack) ? null : `there is no ${basename(pack)} in ${whence}`

/** Why tests that need games in either form are skipped; null if they run. */
export const noGames =
  existsSync(pack) || gameFiles.length > 0
    ? null
    : `there is neither ${basename(pack)} in nor game.tw-pddl below ${whence}`

export const print = (line: string) => process.stdout.write(`${line}\n`)

/** Prints which tests are skipped and why. Returns whether they are. */
export function isLeftOut(what: string, reason: string | null): boolean {
  if (reason !== null) print(`Skipped: ${what}; ${reason}.`)
  return reason !== null
}

/** At most `count` items, evenly spread. */
export function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items]
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]!)
}
