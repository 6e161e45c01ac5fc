/** The environment suite in Node: finds official games and the Python package, and adds the server's pipe. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { environmentSuite, type OfficialGame } from '../../bench/environment.ts'
import type { Suite, SuiteContext } from '../../bench/suite.ts'
import type { SourceFile } from '../../worlds/household/library/game-library.ts'
import { openGames } from '../../worlds/household/library/node-files.ts'
import { alfworldPeer } from './alfworld.ts'
import { cpuClock } from './cpu-clock.ts'
import { measurePipe } from './pipe.ts'
import { NoGameError, readGame } from '../household/games.ts'

const REPETITIONS = 5
const DURATION_MS = 400
const GENERATED_GAMES = 64
/** How many of a release's thousands of games to measure, spread evenly over it. */
const MOST_OFFICIAL_GAMES = 64
/** Beside the repository. */
const SHARED_GAMES = resolve(import.meta.dirname, '../../../shared/alfworld')

/** `games` is a zip, folder or file of official games; the default is `ALFWORLD_DATA`, then the usual place. */
export function environmentSuiteInNode(games = process.env['ALFWORLD_DATA'] || SHARED_GAMES): Suite {
  const suite = environmentSuite({
    clock: cpuClock,
    repetitions: REPETITIONS,
    durationMs: DURATION_MS,
    games: GENERATED_GAMES,
    officialGames: async (context) =>
      games === SHARED_GAMES && !existsSync(games) ? [] : officialGames(games, context),
    peer: alfworldPeer(process.env['ALFWORLD_PYTHON']),
  })
  return {
    ...suite,
    async run(context) {
      await suite.run(context)
      await measurePipe(context)
    },
  }
}

async function officialGames(path: string, context: SuiteContext): Promise<OfficialGame[]> {
  const sources: SourceFile[] = []
  for await (const source of openGames(path)) if (source.path.endsWith('.tw-pddl')) sources.push(source)
  const count = Math.min(sources.length, MOST_OFFICIAL_GAMES)
  const games: OfficialGame[] = []
  for (let i = 0; i < count; i++) {
    const source = sources[Math.floor((i * sources.length) / count)]!
    try {
      games.push({ game: await readGame(source), bytes: source.bytes })
    } catch (error) {
      if (!(error instanceof NoGameError)) throw error
      context.progress(error.message)
    }
  }
  return games
}
