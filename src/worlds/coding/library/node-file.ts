/** A file of problems on a disk, for the command line. */
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { ReadingFileOptions, ReleasedFile } from '../released/file.ts'
import { ProblemFileError, readProblemFile } from './problem-file.ts'

/** Throws a ProblemFileError that names the path as it was given. */
export async function openProblemFile(path: string, options?: ReadingFileOptions): Promise<ReleasedFile> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new ProblemFileError(path, 'There is nothing of this name.', { cause })
  })
  if (found.isDirectory()) throw new ProblemFileError(path, 'This is a folder. Name the file with the problems in it.')
  return readProblemFile(path, await openAsBlob(path), options)
}
