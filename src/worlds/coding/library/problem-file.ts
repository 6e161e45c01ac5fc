/** Reads a file of problems. Its errors name the file. */
import {
  FILE_LIMITS,
  readReleasedFile,
  ReleasedFormatError,
  type ReadingFileOptions,
  type ReleasedFile,
} from '../released/file.ts'
import { errorText } from '../../../threads/error-text.ts'

/** The file or its problems cannot be read. Nothing was imported. */
export class ProblemFileError extends Error {
  override readonly name = 'ProblemFileError'

  constructor(
    readonly fileName: string,
    /** What happened and what to do, without the file's name. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`"${fileName}": ${reason}`, options)
  }
}

/** A `Blob` of a browser or of Node. */
export interface ReadableFile {
  /** In bytes. */
  size: number
  arrayBuffer(): Promise<ArrayBuffer>
}

/** Reads UTF-8 text of at most four bytes per character. Throws a ProblemFileError. */
export async function readProblemFile(
  fileName: string,
  file: ReadableFile,
  options?: ReadingFileOptions,
): Promise<ReleasedFile> {
  const mostBytes = 4 * FILE_LIMITS.characters
  if (file.size > mostBytes) {
    const reason = `The file has ${file.size} bytes; the limit is ${mostBytes}. Split it into several files.`
    throw new ProblemFileError(fileName, reason)
  }
  const bytes = await file.arrayBuffer().catch((cause: unknown) => {
    const message = errorText(cause)
    throw new ProblemFileError(fileName, `The file cannot be read: ${message.replace(/\.$/, '')}.`, { cause })
  })
  try {
    return await readReleasedFile(textOf(bytes), options)
  } catch (error) {
    if (error instanceof ReleasedFormatError) throw new ProblemFileError(fileName, error.message, { cause: error })
    throw error
  }
}

function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ReleasedFormatError(
      'The file is not text. Problems are JSON or JSON lines; unpack archives and convert tables first.',
      { cause },
    )
  }
}
