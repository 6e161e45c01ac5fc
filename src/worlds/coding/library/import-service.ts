/** Reads and stores files of problems, one at a time. Files may be large, so on the page this runs in a worker. */
import type { ReleasedFile } from '../released/file.ts'
import { ProblemFileError, readProblemFile, type ReadableFile } from './problem-file.ts'
import { entryOf, type ProblemFileEntry, type ProblemLibrary } from './problem-library.ts'

export type ProblemImport =
  | ({ isKept: true; entry: ProblemFileEntry } & Pick<ReleasedFile, 'faults' | 'duplicates' | 'cutTimeLimits'>)
  /** `sound`: number of problems that could be imported without the faulty items. */
  | { isKept: false; name: string; reason: string; sound: number }

export class ProblemImportService {
  readonly #library: ProblemLibrary

  constructor(library: ProblemLibrary) {
    this.#library = library
  }

  /** Returns what is wrong with the file. Throws the library's errors. */
  async importFile(name: string, file: ReadableFile, leaveOutFaulty: boolean): Promise<ProblemImport> {
    let read: ReleasedFile
    try {
      read = await readProblemFile(name, file, { leaveOutFaulty })
    } catch (error) {
      if (!(error instanceof ProblemFileError)) throw error
      return { isKept: false, name, reason: error.reason, sound: leaveOutFaulty ? 0 : await soundProblems(name, file) }
    }
    const { problems, faults, duplicates, cutTimeLimits } = read
    await this.#library.put({ name, problems })
    return { isKept: true, entry: entryOf({ name, problems }), faults, duplicates, cutTimeLimits }
  }
}

async function soundProblems(name: string, file: ReadableFile): Promise<number> {
  try {
    return (await readProblemFile(name, file, { leaveOutFaulty: true })).problems.length
  } catch (error) {
    if (error instanceof ProblemFileError) return 0
    throw error
  }
}
