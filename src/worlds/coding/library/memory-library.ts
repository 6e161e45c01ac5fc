/** Imported problems in memory, for as long as the process runs. */
import type { ImportedProblem } from '../problem-source.ts'
import { entryOf, type ProblemFile, type ProblemFileEntry, type ProblemLibrary } from './problem-library.ts'

export class MemoryProblemLibrary implements ProblemLibrary {
  readonly #files = new Map<string, ProblemFile>()

  async put(file: ProblemFile): Promise<void> {
    this.#files.set(file.name, { ...file, problems: [...file.problems] })
  }

  async list(): Promise<readonly ProblemFileEntry[]> {
    return this.#byName().map(entryOf)
  }

  async problems(): Promise<ImportedProblem[]> {
    return this.#byName().flatMap(({ problems }) => problems)
  }

  async delete(name: string): Promise<void> {
    this.#files.delete(name)
  }

  async clear(): Promise<void> {
    this.#files.clear()
  }

  #byName(): ProblemFile[] {
    return [...this.#files.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }
}
