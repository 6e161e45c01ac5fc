/** Problems that were imported, file by file. Plain data in and out, so that it may live in a browser's storage. */
import type { ImportedProblem } from '../problem-source.ts'
import type { Split } from '../../../method/ports.ts'

export interface ProblemFile {
  /** As it was given. A file of the same name takes its place. */
  name: string
  problems: readonly ImportedProblem[]
}

/** What people are told of a file. */
export interface ProblemFileEntry {
  name: string
  /** Problems of each split. */
  counts: Record<Split, number>
}

export interface ProblemLibrary {
  /** All of the file or, where it throws, what was there before. */
  put(file: ProblemFile): Promise<void>
  /** By name, cheaply. */
  list(): Promise<readonly ProblemFileEntry[]>
  /** All problems of all files, files by name; one that two files have comes twice, with the same id. */
  problems(): Promise<ImportedProblem[]>
  /** A file that is not there is no error. */
  delete(name: string): Promise<void>
  clear(): Promise<void>
}

export function entryOf({ name, problems }: ProblemFile): ProblemFileEntry {
  const counts: ProblemFileEntry['counts'] = { train: 0, id: 0, ood: 0 }
  for (const { split } of problems) counts[split]++
  return { name, counts }
}
