/** Imported problems, file by file. Takes and returns plain data, so it can be in a browser's storage. */
import type { ImportedProblem } from '../problem-source.ts'
import type { Split } from '../../../method/ports.ts'

export interface ProblemFile {
  /** The name as given. A file with the same name replaces this one. */
  name: string
  problems: readonly ImportedProblem[]
}

/** Summary of a file. */
export interface ProblemFileEntry {
  name: string
  /** Number of problems in each split. */
  counts: Record<Split, number>
}

export interface ProblemLibrary {
  /** Stores the whole file or, if it throws, changes nothing. */
  put(file: ProblemFile): Promise<void>
  /** Lists files by name, without reading problems. */
  list(): Promise<readonly ProblemFileEntry[]>
  /** All problems, by file name. A problem in two files appears twice with the same id. */
  problems(): Promise<ImportedProblem[]>
  /** No-op if the file does not exist. */
  delete(name: string): Promise<void>
}

export function entryOf({ name, problems }: ProblemFile): ProblemFileEntry {
  const counts: ProblemFileEntry['counts'] = { train: 0, id: 0, ood: 0 }
  for (const { split } of problems) counts[split]++
  return { name, counts }
}
