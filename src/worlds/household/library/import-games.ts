/**
 * Turns files into games, one after another: what is a game comes out as one, what should be and is none comes out with
 * the reason, and what a release has beside its games is passed over.
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

/** What holds files cannot be read any further. */
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
 * Reads files in their order and tells after each how many that were. A game that comes twice is given once; a second
 * game under the name of a first one is a problem, and so is a file that is no game and was given by itself.
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
            `It is another game than "${first.path}", which has the same name; that one is taken.`,
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

/** Null for what is passed over. */
async function readFile(file: SourceFile): Promise<ImportItem | null> {
  const { path } = file
  if (isByproduct(path)) return null
  if (!path.endsWith('.tw-pddl')) {
    const isPart = file.isPart ?? path.includes('/')
    return !isPart ? problem(path, 'It is no game: games of ALFWorld are files named "game.tw-pddl".') : null
  }
  try {
    const { game, walkthrough } = readTwPddl(textOf(await bytesOf(file)), path)
    return { kind: 'game', game: { id: game.id, split: splitOf(path), game, walkthrough } satisfies LibraryGame }
  } catch (error) {
    if (error instanceof GameFileError) return problem(path, error.message)
    throw error
  }
}

/** What lies beside games in a release, and what macOS adds to folders and archives. */
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
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new GameFileError(`It cannot be read: ${message.replace(/\.$/, '')}.`, { cause })
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new GameFileError('It is not text, so it is damaged or is something else.', { cause })
  }
}

function splitOf(path: string): OfficialSplit | null {
  const { parent } = readGamePath(path)
  return OFFICIAL_SPLITS.find((split) => split === parent) ?? null
}

function problem(path: string, reason: string): ImportItem {
  return { kind: 'problem', problem: { path, reason } }
}
