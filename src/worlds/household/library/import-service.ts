/**
 * The service of the games worker: reads files, stores their games in the library, and reports progress. Stores games in
 * batches, so an import that is cancelled, or whose tab closes, keeps the earlier batches.
 */
import type { PickedFile } from '../../../storage/dropped-files.ts'
import { zipFiles } from '../../../storage/zip-files.ts'
import type { GameLibrary, ImportProblem, LibraryGame, SourceFile } from './game-library.ts'
import { importGames } from './import-games.ts'
import { errorText } from '../../../threads/error-text.ts'

export interface ImportProgress {
  /** Files read so far, and files found so far. Counts the files inside zips, not the zips. */
  files: number
  found: number
  games: number
  /** New since the last report. */
  problems: ImportProblem[]
}

export interface ImportSummary {
  /** Games in the files, and how many of them are new to the library. */
  games: number
  added: number
  isCancelled: boolean
}

const BATCH = 64
const REPORT_INTERVAL_MS = 100

export class GameImportService {
  readonly #library: GameLibrary

  constructor(library: GameLibrary) {
    this.#library = library
  }

  /** `next` returns the next batch of files, empty at the end. Throws the library's errors. */
  async importFiles(
    next: () => Promise<PickedFile[]>,
    onProgress: (progress: ImportProgress) => void,
    signal?: AbortSignal,
  ): Promise<ImportSummary> {
    const known = new Set((await this.#library.list()).map(({ id }) => id))
    const before = known.size
    const progress: ImportProgress = { files: 0, found: 0, games: 0, problems: [] }
    let reportedAt = 0
    const report = () => {
      onProgress({ ...progress })
      progress.problems = []
      reportedAt = performance.now()
    }
    const onFile = (done: number) => {
      progress.files = done
      if (performance.now() - reportedAt > REPORT_INTERVAL_MS) report()
    }
    const sources = pickedSources(next, {
      isWanted: () => signal?.aborted !== true,
      onFound: (count) => (progress.found += count),
      onProblem: (problem) => progress.problems.push(problem),
    })
    let batch: LibraryGame[] = []
    const keep = async () => {
      if (batch.length > 0) await this.#library.put(batch)
      batch = []
    }
    for await (const item of importGames(sources, onFile)) {
      if (item.kind === 'problem') progress.problems.push(item.problem)
      else {
        progress.games++
        known.add(item.game.id)
        if (batch.push(item.game) >= BATCH) await keep()
      }
    }
    await keep()
    report()
    return { games: progress.games, added: known.size - before, isCancelled: signal?.aborted ?? false }
  }
}

interface Listener {
  isWanted(): boolean
  onFound(count: number): void
  onProblem(problem: ImportProblem): void
}

/** Yields files until no more are wanted. Lists the zips of a batch before yielding its first file. */
async function* pickedSources(next: () => Promise<PickedFile[]>, listener: Listener): AsyncGenerator<SourceFile> {
  for (let picked = await next(); picked.length > 0; picked = await next()) {
    const sources: SourceFile[] = []
    for (const each of picked) {
      if (each.file === null) listener.onProblem({ path: each.path, reason: each.reason })
      else if (isZip(each.path)) await unpack(each.path, each.file, sources, listener)
      else sources.push(fileSource(each.path, each.file))
    }
    listener.onFound(sources.length)
    for (const source of sources) {
      if (!listener.isWanted()) return
      yield source
    }
  }
}

function fileSource(path: string, file: File): SourceFile {
  return { path, isPart: path.includes('/'), bytes: async () => new Uint8Array(await file.arrayBuffer()) }
}

/** Adds the readable files of a damaged archive before it reports the error. */
async function unpack(path: string, zip: File, sources: SourceFile[], { onProblem }: Listener): Promise<void> {
  try {
    for await (const source of zipFiles(zip)) sources.push(source)
  } catch (cause) {
    onProblem({ path, reason: errorText(cause) })
  }
}

function isZip(path: string): boolean {
  return /\.zip$/i.test(path)
}
