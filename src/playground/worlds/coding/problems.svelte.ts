/** Imported problems in this browser, file by file: lists and imports them. Tabs notify each other of changes. */
import { errorText } from '../../../threads/error-text.ts'
import { createContext } from 'svelte'
import type { ImportedProblem } from '../../../worlds/coding/problem-source.ts'
import type { ProblemImport } from '../../../worlds/coding/library/import-service.ts'
import { IndexedDbProblemLibrary } from '../../../worlds/coding/library/indexeddb-library.ts'
import type { ProblemFileEntry } from '../../../worlds/coding/library/problem-library.ts'
import type { PickedFile } from '../../../storage/dropped-files.ts'
import { openTabChannel } from '../../../storage/browser-storage.ts'
import { counted } from '../../kit/format.ts'
import type { OpenProblemImporter } from './problems-worker.ts'
import { ImportQueue } from '../../state/import-queue.ts'
import type { ShelfNews, WorldShelf } from '../../state/world-shelf.ts'

export interface ProblemFailure {
  /** The file, to import again without its faulty items; null if the file is not at fault. */
  file: File | null
  /** Name of the file, or a sentence on what failed. */
  name: string
  why: string
  /** Valid problems of the file. */
  sound: number
}

/** The page's problems, for the components of this world. */
export const [problemsOfPage, provideProblems] = createContext<Problems>()

export class Problems implements WorldShelf {
  readonly #open: OpenProblemImporter
  readonly #library = new IndexedDbProblemLibrary()
  readonly #tabs = openTabChannel('coding-problems')
  #entries = $state.raw<readonly ProblemFileEntry[] | null>(null)
  #obstacle = $state.raw<string | null>(null)
  #reading = $state.raw<string | null>(null)
  #imports = $state.raw<readonly Extract<ProblemImport, { isKept: true }>[]>([])
  #failures = $state.raw<readonly ProblemFailure[]>([])
  readonly #queue = new ImportQueue()

  constructor(open: OpenProblemImporter) {
    this.#open = open
    this.#tabs.onmessage = () => void this.look()
  }

  /** Null until listed. */
  get entries(): readonly ProblemFileEntry[] | null {
    return this.#entries
  }
  /** Whether a run can pose imported problems, for which it needs some for training. */
  get areThere(): boolean {
    return this.#entries?.some(({ counts }) => counts.train > 0) ?? false
  }
  /** Why this browser cannot keep problems; null if it can. */
  get obstacle(): string | null {
    return this.#obstacle
  }
  /** Name of the file that is being read. */
  get reading(): string | null {
    return this.#reading
  }
  /** Files kept by the last imports, which ran without a pause between them. */
  get imports(): readonly Extract<ProblemImport, { isKept: true }>[] {
    return this.#imports
  }
  get failures(): readonly ProblemFailure[] {
    return this.#failures
  }

  /** Each stays the same object, by which the page knows what was dismissed. */
  readonly #refused = $derived(
    this.#failures.map(({ name, why }) => ({
      what: `Problems: ${name}`,
      why,
      remedy: 'Choose the coding world to see what can be imported, under Set up, Games and problems.',
    })),
  )
  get news(): ShelfNews {
    return {
      failures: this.#refused,
      imports: this.#imports.map(({ entry: { name, counts } }) => {
        const imported = counted(counts.train + counts.id + counts.ood, 'problem')
        return `${imported} imported from ${name}. Choose the coding world to pose them.`
      }),
    }
  }

  async takeDropped(texts: readonly File[], others: AsyncGenerator<PickedFile> | null): Promise<boolean> {
    const files = [...texts]
    if (others) for await (const { file } of others) if (file) files.push(file)
    if (files.length === 0) return false
    void this.importFiles(files)
    return true
  }

  async look(): Promise<void> {
    try {
      this.#entries = await this.#library.list()
      this.#obstacle = null
    } catch (cause) {
      this.#entries = []
      this.#obstacle = errorText(cause)
    }
  }

  /** Reads all imported problems. Throws LibraryError. */
  all(): Promise<ImportedProblem[]> {
    return this.#library.problems()
  }

  /**
   * Reads the files in a worker and keeps their problems. Keeps none of a file with a faulty item unless that item is left out. Returns
   * the failures of these files.
   */
  importFiles(files: readonly File[], leaveOutFaulty = false): Promise<ProblemFailure[]> {
    return this.#queue.add((isFirst) => this.#read(files, leaveOutFaulty, isFirst))
  }

  async delete(name: string): Promise<void> {
    await this.#change(() => this.#library.delete(name), `“${name}” could not be removed.`)
  }

  async #read(files: readonly File[], leaveOutFaulty: boolean, isFirst: boolean): Promise<ProblemFailure[]> {
    if (isFirst) this.#clearReport()
    const failures: ProblemFailure[] = []
    const fail = (failure: ProblemFailure) => {
      failures.push(failure)
      this.#fail(failure)
    }
    const worker = this.#open()
    try {
      for (const file of files) {
        this.#reading = file.name
        try {
          const result = await worker.remote.importFile(file.name, file, leaveOutFaulty)
          if (result.isKept) this.#note(result)
          else fail({ file, name: file.name, why: result.reason, sound: result.sound })
        } catch (cause) {
          fail({ file: null, name: `${file.name} could not be kept.`, why: errorText(cause), sound: 0 })
        }
      }
    } finally {
      this.#reading = null
      worker.terminate()
      await this.#tell()
    }
    return failures
  }

  /** A file that is imported again replaces the one of its name. */
  #note(result: Extract<ProblemImport, { isKept: true }>): void {
    const others = this.#imports.filter(({ entry }) => entry.name !== result.entry.name)
    this.#imports = [...others, result]
  }

  #clearReport(): void {
    this.#imports = []
    this.#failures = []
  }

  #fail(failure: ProblemFailure): void {
    this.#failures = [...this.#failures, failure]
  }

  async #change(change: () => Promise<void>, name: string): Promise<void> {
    if (!this.#queue.isBusy) this.#clearReport()
    try {
      await change()
    } catch (cause) {
      this.#fail({ file: null, name, why: errorText(cause), sound: 0 })
    }
    await this.#tell()
  }

  async #tell(): Promise<void> {
    this.#tabs.postMessage('changed')
    await this.look()
  }
}
