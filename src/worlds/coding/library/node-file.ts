/** Reads a file of problems from disk for the command line. */
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { ReadingFileOptions, ReleasedFile } from '../released/file.ts'
import { ProblemFileError, readProblemFile } from './problem-file.ts'

/** Throws a ProblemFileError that names the path as given. */
export async function openProblemFile(path: string, options?: ReadingFileOptions): Promise<ReleasedFile> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new ProblemFileError(path, 'No such file or folder.', { cause })
  })
  if (found.isDirectory()) throw new ProblemFileError(path, 'This is a folder. Give the path of a file with problems.')
  return readProblemFile(path, await openAsBlob(path), options)
}
