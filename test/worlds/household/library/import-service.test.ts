import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js'
import { describe, expect, it } from 'vitest'
import type { PickedFile } from '../../../../src/storage/dropped-files.ts'
import type { LibraryGame } from '../../../../src/worlds/household/library/game-library.ts'
import { GameImportService, type ImportProgress } from '../../../../src/worlds/household/library/import-service.ts'
import { MemoryGameLibrary } from '../../../../src/worlds/household/library/memory-library.ts'
import { writtenGame } from './game-file.ts'

const games = Array.from({ length: 5 }, (_, i) => writtenGame(i + 1, i < 3 ? 'train' : 'valid_seen'))

function picked(path: string, content: BlobPart): PickedFile {
  return { path, file: new File([content], path.split('/').at(-1)!) }
}
const pickedGame = ({ path, text }: { path: string; text: string }) => picked(path, text)

async function zipOf(files: readonly { path: string; text: string }[]): Promise<Blob> {
  const zip = new ZipWriter(new BlobWriter('application/zip'))
  for (const { path, text } of files) await zip.add(path, new TextReader(text))
  return zip.close()
}

function inBatches(files: readonly PickedFile[], size: number): () => Promise<PickedFile[]> {
  const left = [...files]
  return async () => left.splice(0, size)
}

async function importAll(files: readonly PickedFile[], library = new MemoryGameLibrary()) {
  const progress: ImportProgress[] = []
  const service = new GameImportService(library)
  const summary = await service.importFiles(inBatches(files, 2), (step) => progress.push(step))
  return { summary, library, last: progress.at(-1)!, problems: progress.flatMap((step) => step.problems) }
}

describe('an import', () => {
  it('imports games from zips, folders and single files, and reports progress', async () => {
    const zip = await zipOf(games.slice(0, 3))
    const { summary, library, last, problems } = await importAll([
      picked('games.zip', zip),
      pickedGame(games[3]!),
      picked('alone.tw-pddl', games[4]!.text),
    ])
    expect(problems).toEqual([])
    expect(summary).toEqual({ games: 5, added: 5, isCancelled: false })
    expect(last).toMatchObject({ files: 5, found: 5, games: 5 })
    const splits = (await library.list()).map(({ split }) => split)
    expect(splits.filter((split) => split === 'train')).toHaveLength(3)
    expect(splits.filter((split) => split === 'valid_seen')).toHaveLength(1)
    expect(splits.filter((split) => split === null)).toHaveLength(1)
  })

  it('reports unusable files and stores the rest', async () => {
    const damaged = { ...games[1]!, text: games[1]!.text.slice(0, 500) }
    const { summary, problems } = await importAll([
      picked('games.zip', await zipOf([games[0]!, damaged])),
      picked('notes.txt', 'Buy milk.'),
      picked('broken.zip', 'PK'),
      { path: 'locked.tw-pddl', file: null, reason: 'The file could not be opened: not allowed' },
      pickedGame(games[2]!),
    ])
    expect(summary).toEqual({ games: 2, added: 2, isCancelled: false })
    expect(problems.map(({ path }) => path).sort()).toEqual(
      ['broken.zip', damaged.path, 'locked.tw-pddl', 'notes.txt'].sort(),
    )
  })

  it('adds nothing that the library already has', async () => {
    const { library } = await importAll(games.map(pickedGame))
    const again = await importAll(games.map(pickedGame), library)
    expect(again.summary).toEqual({ games: 5, added: 0, isCancelled: false })
    expect(await library.list()).toHaveLength(5)
  })

  it('stores what it has read when it is cancelled, and says so', async () => {
    const library = new MemoryGameLibrary()
    const cancel = new AbortController()
    const service = new GameImportService(library)
    let given = 0
    const next = async () => {
      if (given === 2) cancel.abort()
      return games.slice(given++, given).map(pickedGame)
    }
    const summary = await service.importFiles(next, () => {}, cancel.signal)
    expect(summary).toEqual({ games: 2, added: 2, isCancelled: true })
    expect(await library.list()).toHaveLength(2)
  })

  it('fails with the library’s own error if games cannot be stored', async () => {
    class FullLibrary extends MemoryGameLibrary {
      override async put(_games: readonly LibraryGame[]): Promise<void> {
        throw new Error('No space.')
      }
    }
    await expect(importAll(games.map(pickedGame), new FullLibrary())).rejects.toThrow('No space.')
  })

  it('reads a zip inside a folder', async () => {
    const { summary } = await importAll([picked('downloads/games.zip', await zipOf(games.slice(0, 2)))])
    expect(summary.games).toBe(2)
  })
})
