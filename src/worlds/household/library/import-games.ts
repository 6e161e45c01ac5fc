/**
 * Turns files into games, one by one. Yields each game, yields a problem for each file that should be a game and is not, and
 * skips the other files of a release.
 */
import { GameFileError } from '../official/game-file-error.ts'
import { readGamePath } from '../official/game-path.ts'
import { readTwPddl } from '../official/tw-pddl.ts'
import { hashOf } from '../../random.ts'
import {
  OFFICIAL_SPLITS,
  type ImportItem,
  type LibraryGame,
  type OfficialSplit,
  type SourceFile,
} from './game-library.ts'
import { errorText } from '../../../threads/error-text.ts'

/** A folder or archive cannot be read any further. */
export class SourceError extends Error {
  override readonly name = 'SourceError'

  constructor(
    readonly path: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(reason, options)
  }
}

/**
 * Reads files in order and reports after each how many have been read. Yields a repeated game once. A different game with the
 * name of an earlier one is a problem, and so is a single file that is not a game.
 */
export async function* importGames(
  files: AsyncIterable<SourceFile>,
  onProgress?: (done: number) => void,
): AsyncGenerator<ImportItem> {
  const taken = new Map<string, { path: string; fingerprint: number }>()
  let done = 0
  try {
    for await (const file of files) {
      const item = await readFile(file)
      if (item?.kind === 'game') {
        const { game } = item
        const first = taken.get(game.id)
        const fingerprint = hashOf(JSON.stringify(game.game))
        if (!first) {
          taken.set(game.id, { path: file.path, fingerprint })
          yield item
        } else if (first.fingerprint !== fingerprint) {
          yield problem(
            file.path,
            `It is a different game with the same name as "${first.path}", which was imported instead.`,
          )
        }
      } else if (item) yield item
      onProgress?.(++done)
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    yield problem(error.path, error.message)
  }
}

/** Null for files to skip. */
async function readFile(file: SourceFile): Promise<ImportItem | null> {
  const { path } = file
  if (isByproduct(path)) return null
  if (!path.endsWith('.tw-pddl')) {
    const isPart = file.isPart ?? path.includes('/')
    return !isPart ? problem(path, 'It is not an ALFWorld game: those are files named "game.tw-pddl".') : null
  }
  try {
    const { game, walkthrough } = readTwPddl(textOf(await bytesOf(file)), path)
    return { kind: 'game', game: { id: game.id, split: splitOf(path), game, walkthrough } satisfies LibraryGame }
  } catch (error) {
    if (error instanceof GameFileError) return problem(path, error.message)
    throw error
  }
}

/** Whether a file comes with the games of a release, or was added to a folder or archive by macOS. */
function isByproduct(path: string): boolean {
  const folders = path.split('/')
  const name = folders.pop()!
  return (
    name === 'traj_data.json' || name === 'initial_state.pddl' || name.startsWith('.') || folders.includes('__MACOSX')
  )
}

async function bytesOf(file: SourceFile): Promise<Uint8Array> {
  try {
    return await file.bytes()
  } catch (cause) {
    const message = errorText(cause)
    throw new GameFileError(`It cannot be read: ${message.replace(/\.$/, '')}.`, { cause })
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new GameFileError('It is not text: it is damaged or another kind of file.', { cause })
  }
}

function splitOf(path: string): OfficialSplit | null {
  const { parent } = readGamePath(path)
  return OFFICIAL_SPLITS.find((split) => split === parent) ?? null
}

function problem(path: string, reason: string): ImportItem {
  return { kind: 'problem', problem: { path, reason } }
}
