/** `--games PATH`: imports the games into memory. */
import { OFFICIAL_SPLITS, type GameLibrary, type ImportProblem } from '../../worlds/household/library/game-library.ts'
import { importGames } from '../../worlds/household/library/import-games.ts'
import { MemoryGameLibrary } from '../../worlds/household/library/memory-library.ts'
import { openGames } from '../../worlds/household/library/node-files.ts'
import { ArgumentError } from '../arguments.ts'
import { contentHash } from './inputs.ts'

/** Most problems to report one by one; the rest are counted. */
const MOST_LINES = 5

/** Reports what was imported and what was not, line by line. Throws ArgumentError if there is no game. */
export async function importLibrary(
  path: string,
  tell: (line: string) => void,
): Promise<{ library: GameLibrary; hash: string }> {
  const library = new MemoryGameLibrary()
  const hashes = new Map<string, string>()
  const problems: ImportProblem[] = []
  for await (const item of importGames(openGames(path))) {
    if (item.kind === 'game') {
      await library.put([item.game])
      hashes.set(item.game.id, contentHash([item.game]))
    } else problems.push(item.problem)
  }
  const entries = await library.list()
  if (entries.length === 0) throw new ArgumentError(`--games: ${noGames(path, problems)}`)
  for (const { path: file, reason } of problems.slice(0, MOST_LINES)) tell(`Left out ${file}: ${reason}`)
  const untold = problems.length - MOST_LINES
  if (untold > 0) tell(`Skipped ${untold} more.`)
  const counts = [...OFFICIAL_SPLITS, null].flatMap((split) => {
    const count = entries.filter((entry) => entry.split === split).length
    return count === 0 ? [] : `${count} ${split ?? 'of no split'}`
  })
  tell(`Imported ${entries.length} games: ${counts.join(', ')}.`)
  // In an order that does not depend on that of the files.
  return { library, hash: contentHash([...hashes].sort(([one], [other]) => (one < other ? -1 : 1))) }
}

function noGames(path: string, problems: readonly ImportProblem[]): string {
  const [first] = problems
  if (first === undefined) return `there is no game in "${path}"; games are files named "game.tw-pddl", also in a zip.`
  const others = problems.length === 1 ? '' : ` ${problems.length - 1} more files could not be imported.`
  return `nothing could be imported. ${first.path}: ${first.reason}${others}`
}
