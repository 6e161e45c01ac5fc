/** A small release for tests of the import: invented games in ALFWorld's folders. */
import { BlobWriter, TextReader, ZipWriter, configure, type ZipWriterConstructorOptions } from '@zip.js/zip.js'
import type { ImportItem, LibraryGame, SourceFile } from '../../../../src/worlds/household/library/game-library.ts'
import { importGames } from '../../../../src/worlds/household/library/import-games.ts'
import { writtenGame } from './game-file.ts'

configure({ useWebWorkers: false })

export interface NamedText {
  path: string
  text: string
}

/** Six games for training, three and two for evaluation, and the other files of a release. */
export function smallRelease(): NamedText[] {
  const games = [
    ...[1, 2, 3, 4, 5, 6].map((seed) => writtenGame(seed, 'train')),
    ...[7, 8, 9].map((seed) => writtenGame(seed, 'valid_seen')),
    ...[10, 11].map((seed) => writtenGame(seed, 'valid_unseen')),
  ]
  return games.flatMap(({ path, text }) => [
    { path, text },
    { path: path.replace('game.tw-pddl', 'initial_state.pddl'), text: '(define (problem other))' },
    { path: path.replace('game.tw-pddl', 'traj_data.json'), text: '{"task_type": "another one"}' },
  ])
}

export const isGamePath = (path: string) => path.endsWith('.tw-pddl')

export async function zipOf(files: readonly NamedText[], options: ZipWriterConstructorOptions = {}): Promise<Blob> {
  const writer = new ZipWriter(new BlobWriter('application/zip'), options)
  for (const { path, text } of files) await writer.add(path, new TextReader(text))
  return writer.close()
}

export function source(path: string, text: string | Uint8Array, isPart?: boolean): SourceFile {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return { path, bytes: async () => bytes, ...(isPart !== undefined && { isPart }) }
}

export async function* sources(files: readonly (NamedText | SourceFile)[]): AsyncGenerator<SourceFile> {
  for (const file of files) yield 'text' in file ? source(file.path, file.text) : file
}

export interface Imported {
  games: LibraryGame[]
  problems: { path: string; reason: string }[]
}

export async function imported(files: AsyncIterable<SourceFile>): Promise<Imported> {
  const result: Imported = { games: [], problems: [] }
  for await (const item of importGames(files)) add(result, item)
  return result
}

function add(result: Imported, item: ImportItem): void {
  if (item.kind === 'game') result.games.push(item.game)
  else result.problems.push(item.problem)
}
