/**
 * ALFWorld's games in this browser: lists and imports them. Tabs notify each other of changes.
 */
import { errorText } from '../../../threads/error-text.ts'
import { createContext } from 'svelte'
import type { PickedFile } from '../../../storage/dropped-files.ts'
import type { ImportProblem, LibraryEntry } from '../../../worlds/household/library/game-library.ts'
import type { ImportProgress, ImportSummary } from '../../../worlds/household/library/import-service.ts'
import { IndexedDbGameLibrary } from '../../../worlds/household/library/indexeddb-library.ts'
import { isPersistent, openTabChannel } from '../../../storage/browser-storage.ts'
import type { OpenImporter } from './games-worker.ts'
import { openOwnGames } from './own-games.ts'
import { ImportQueue } from '../../state/import-queue.ts'
import type { ShelfNews, WorldShelf } from '../../state/world-shelf.ts'

export type ImportState =
  | { state: 'none' }
  /** Files read, and found; `found` is null until all are listed. */
  | { state: 'reading'; files: number; found: number | null; games: number }
  | { state: 'read'; summary: ImportSummary }

/** An import that ended early, and the games that it read before. */
export interface ImportFailure {
  why: string
  games: number
}

/** Files that the worker requests at a time. */
const BATCH = 256

/** The page's games, for the components of this world. */
export const [gamesOfPage, provideGames] = createContext<Games>()

export class Games implements WorldShelf {
  readonly own = openOwnGames()
  readonly #open: OpenImporter
  readonly #library = new IndexedDbGameLibrary()
  readonly #tabs = openTabChannel('household-games')
  #entries = $state.raw<readonly LibraryEntry[] | null>(null)
  #obstacle = $state.raw<string | null>(null)
  #import = $state.raw<ImportState>({ state: 'none' })
  #failures = $state.raw<readonly ImportFailure[]>([])
  #problems = $state.raw<readonly ImportProblem[]>([])
  #isLasting = $state.raw(true)
  #abort: AbortController | null = null
  readonly #imports = new ImportQueue()

  constructor(open: OpenImporter) {
    this.#open = open
    this.#tabs.onmessage = () => void this.look()
  }

  /** Null until listed. */
  get entries(): readonly LibraryEntry[] | null {
    return this.#entries
  }
  /** Whether a run can play official games, for which it needs some of the training split. */
  get areThere(): boolean {
    return this.#entries?.some(({ split }) => split === 'train') ?? false
  }
  /** Why this browser cannot keep games; null if it can. */
  get obstacle(): string | null {
    return this.#obstacle
  }
  get import(): ImportState {
    return this.#import
  }
  /** Failures of the last imports, which ran without a pause between them. */
  get failures(): readonly ImportFailure[] {
    return this.#failures
  }
  /** Files that these imports could not use. */
  get problems(): readonly ImportProblem[] {
    return this.#problems
  }

  /** Whether the browser has promised not to evict this page's data. */
  get isLasting(): boolean {
    return this.#isLasting
  }

  /** Games can only be dropped while the household is chosen, and its panel reports on them. */
  readonly news: ShelfNews = { failures: [], imports: [] }

  async takeDropped(_texts: readonly File[], others: AsyncGenerator<PickedFile> | null): Promise<boolean> {
    if (others === null) return false
    void this.importFiles(others)
    return true
  }

  async look(): Promise<void> {
    await this.own.look()
    try {
      this.#entries = await this.#library.list()
      this.#obstacle = null
      this.#isLasting = await isPersistent(false)
    } catch (cause) {
      this.#entries = []
      this.#obstacle = errorText(cause)
    }
  }

  /** Reads the files in a worker and keeps their games. Imports run one after another. */
  importFiles(files: AsyncGenerator<PickedFile>): Promise<void> {
    return this.#imports.add((isFirst) => this.#read(files, isFirst))
  }

  async #read(files: AsyncGenerator<PickedFile>, isFirst: boolean): Promise<void> {
    this.#abort = new AbortController()
    if (isFirst) this.#clearReport()
    let isTotalKnown = false
    const next = async () => {
      const batch: PickedFile[] = []
      while (batch.length < BATCH && !isTotalKnown) {
        const item = await files.next()
        if (item.done) isTotalKnown = true
        else batch.push(item.value)
      }
      return batch
    }
    let games = 0
    const take = (progress: ImportProgress) => {
      games = progress.games
      if (progress.problems.length > 0) this.#problems = [...this.#problems, ...progress.problems]
      this.#import = { state: 'reading', files: progress.files, found: isTotalKnown ? progress.found : null, games }
    }
    this.#import = { state: 'reading', files: 0, found: null, games }
    let worker: ReturnType<OpenImporter> | null = null
    try {
      try {
        worker = this.#open()
        const summary = await worker.remote.importFiles(next, take, this.#abort.signal)
        this.#import = { state: 'read', summary }
      } finally {
        // Files that a cancelled or failed import has not reached may be for others (sorted in shell/dropped-kind.ts).
        await files.return(undefined)
      }
    } catch (cause) {
      this.#import = { state: 'none' }
      this.#failures = [...this.#failures, { why: errorText(cause), games }]
    } finally {
      worker?.terminate()
      this.#abort = null
      await this.#tell()
    }
    // Some browsers ask the person, so this waits until there is something to keep.
    if (this.#entries?.length) this.#isLasting = await isPersistent(true)
  }

  /** Keeps what has been read so far. */
  cancel(): void {
    this.#abort?.abort()
  }

  async removeAll(): Promise<void> {
    try {
      await this.#library.clear()
      this.#import = { state: 'none' }
      this.#clearReport()
    } catch (cause) {
      this.#failures = [...this.#failures, { why: errorText(cause), games: 0 }]
    }
    await this.#tell()
  }

  #clearReport(): void {
    this.#failures = []
    this.#problems = []
  }

  async #tell(): Promise<void> {
    this.#tabs.postMessage('changed')
    await this.look()
  }
}
