/** Reads a file of problems from disk for the command line. */
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { ReadingFileOptions, ReleasedFile } from '../released/file.ts'
import { ProblemFileError, readProblemFile } from './problem-file.ts'

/** Throws a ProblemFileError that names the path as given. */
export async function openProblemFile(path: string, options?: ReadingFileOptions): Promise<ReleasedFile> {
  const found = await stat(path).catch((cause: unknown) => {
    const { code, message } = cause as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'No such file or folder.' : `It cannot be read: ${message}.`
    throw new ProblemFileError(path, reason, { cause })
  })
  if (found.isDirectory()) throw new ProblemFileError(path, 'This is a folder. Give the path of a file with problems.')
  return readProblemFile(path, await openAsBlob(path), options)
}
