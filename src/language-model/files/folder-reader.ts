/** A model folder on disk. Node only: browser code must not import this file. */
import { createReadStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { ModelFileError, type ModelReader } from './model-reader.ts'

const PIECE_BYTES = 1 << 20

export function folderReader(folder: string): ModelReader {
  const unreadable = (file: string, cause: unknown) =>
    new ModelFileError(`${join(folder, file)} cannot be read. Check the path of the model.`, {
      cause,
      isMissing: (cause as NodeJS.ErrnoException).code === 'ENOENT',
    })
  return {
    name: basename(resolve(folder)),
    async read(file) {
      try {
        return await readFile(join(folder, file))
      } catch (cause) {
        throw unreadable(file, cause)
      }
    },
    async *stream(file) {
      try {
        yield* createReadStream(join(folder, file), { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>
      } catch (cause) {
        throw unreadable(file, cause)
      }
    },
  }
}

export async function writeModelFolder(folder: string, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [file, bytes] of Object.entries(files)) await writeFile(join(folder, file), bytes)
}
