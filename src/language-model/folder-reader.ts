/** A model folder on disk. For Node alone: nothing that runs in a browser imports this file. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { ModelFileError, type ModelReader } from './model-folder.ts'

export function folderReader(folder: string): ModelReader {
  return {
    name: basename(resolve(folder)),
    async read(file) {
      try {
        return await readFile(join(folder, file))
      } catch (cause) {
        throw new ModelFileError(`${join(folder, file)} cannot be read. Check the path of the model.`, { cause })
      }
    },
  }
}

export async function writeModelFolder(folder: string, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [file, bytes] of Object.entries(files)) await writeFile(join(folder, file), bytes)
}
