/** Reads a model folder: an address, a path in Node, or `local:NAME` for a folder added to the page. */
import { readOptional, urlReader, type ModelReader } from '../../language-model/files/model-folder.ts'
import { countedBytes } from '../../language-model/files/model-reader.ts'
import { nodeModule } from '../../threads/endpoints.ts'
import { LOCAL, localFolderReader } from './local-folders.ts'
import type { FolderFiles, OnBytes } from '../../roles/role-model.ts'

/** `onBytes` reports only downloads, not local files. Throws ModelFileError. */
export async function modelFiles(location: string, onBytes?: OnBytes): Promise<ModelReader> {
  const isNode = nodeModule('node:worker_threads') !== null
  if (location.startsWith(LOCAL) && !isNode) return localFolderReader(location.slice(LOCAL.length))
  if (isAddress(location) || !isNode) return urlReader(location, onBytes && countingFetch(onBytes))
  const folders = '../../language-model/files/folder-reader.ts'
  const { folderReader } = (await import(
    /* @vite-ignore */ folders
  )) as typeof import('../../language-model/files/folder-reader.ts')
  return folderReader(location)
}

/** The same without waiting: errors come with the first file. */
export function laterModelFiles(location: string): ModelReader {
  let files: Promise<ModelReader> | null = null
  const found = () => (files ??= modelFiles(location))
  return {
    name: location.split('/').filter(Boolean).at(-1) ?? location,
    read: async (file) => (await found()).read(file),
    async *stream(file) {
      yield* (await found()).stream(file)
    },
  }
}

/** Files beside the weights that say how to prompt the model. A folder has some of them. */
export const PROMPT_FILES = [
  'tokenizer_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
  'generation_config.json',
]

/** Those that the folder has. Throws ModelFileError if one cannot be read. */
export async function promptFiles(reader: ModelReader): Promise<FolderFiles> {
  const read = await Promise.all(PROMPT_FILES.map(async (file) => [file, await readOptional(reader, file)] as const))
  return Object.fromEntries(read.filter((entry): entry is [string, Uint8Array] => entry[1] !== null))
}

/** Copies that a worker may give away and keep the files. */
export function copiesOf(files: FolderFiles): FolderFiles {
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, new Uint8Array(bytes)]))
}

function isAddress(location: string): boolean {
  return /^[a-z]{2,}:\/\//i.test(location)
}

/** A `fetch` that reports the bytes of all files together. */
function countingFetch(onBytes: OnBytes): typeof fetch {
  let done = 0
  let total = 0
  return async (...request) => {
    const response = await fetch(...request)
    if (response.body === null || !response.ok) return response
    // The rest of an interrupted download is already in the total.
    if (response.status !== 206) total += Number(response.headers.get('content-length') ?? 0)
    const counted = countedBytes(response.body, (bytes) => {
      done += bytes
      onBytes(done, Math.max(done, total))
    })
    return new Response(counted, response)
  }
}
