/**
 * The files of WebLLM's models in the browser's Cache Storage, under the addresses that they were loaded from. Entries do not
 * expire: WebLLM loads what is stored under an address.
 */
import { ForbiddenFileError, ModelFileError, refusalText } from '../../language-model/files/model-reader.ts'

export const CACHE_SCOPES = ['webllm/config', 'webllm/model', 'webllm/wasm'] as const
export type CacheScope = (typeof CACHE_SCOPES)[number]

export interface StoredFile {
  address: string
  /** 0 if the answer did not report it. */
  bytes: number
}

/** The server could not be reached. */
export class UnreachableFileError extends ModelFileError {}

export interface ModelFiles {
  /** From the cache, or from the network without caching. Throws ModelFileError. */
  read(scope: CacheScope, address: string): Promise<Uint8Array<ArrayBuffer>>
  write(scope: CacheScope, address: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  list(scope: CacheScope): Promise<StoredFile[]>
  remove(scope: CacheScope, address: string): Promise<void>
}

/** Derives it from a record's address like WebLLM: adds ".../resolve/main/" if no branch is named. */
export function modelFolder(model: string): string {
  const folder = model.endsWith('/') ? model : `${model}/`
  return new URL(/.+\/resolve\/.+\//.test(folder) ? folder : `${folder}resolve/main/`).href
}

/** From the cache, or from the network and then kept there, once `check` has not thrown. Throws ModelFileError. */
export async function readAndKeep(
  files: ModelFiles,
  scope: CacheScope,
  address: string,
  check: (bytes: Uint8Array<ArrayBuffer>) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const isKept = (await files.list(scope)).some((file) => file.address === address)
  const bytes = await files.read(scope, address)
  check(bytes)
  // Not again, because even an equal file needs room.
  if (!isKept) await files.write(scope, address, bytes)
  return bytes
}

/** Like `readAndKeep`, for a file that not every model has. Throws the errors of `knowMissing`. */
export function readAndKeepOptional(
  files: ModelFiles,
  scope: CacheScope,
  address: string,
): Promise<Uint8Array<ArrayBuffer>> {
  return knowMissing(files, scope, address, () =>
    readAndKeep(files, scope, address, (bytes) => {
      if (bytes.length === 0) throw new ModelFileError(`${address} is empty.`, { isMissing: true })
    }),
  )
}

/**
 * For a file that not every model has. Keeps that it is missing, as an empty file, so that a model needs no network once it was
 * loaded. For folders of which a file was read, so that a forbidden file is a missing one; since the right may be granted later, the
 * network decides where it is there. Throws ModelFileError; `isMissing` only if the server or the cache says so.
 */
export async function knowMissing<T>(
  files: ModelFiles,
  scope: CacheScope,
  address: string,
  read: () => Promise<T>,
): Promise<T> {
  const mark = `${address}?forbidden`
  try {
    return await read()
  } catch (error) {
    if (error instanceof ForbiddenFileError) await keepMissing(files, scope, mark)
    else if (error instanceof UnreachableFileError) {
      if (!(await files.list(scope)).some((file) => file.address === mark)) throw error
    } else {
      if (error instanceof ModelFileError && error.isMissing) await keepMissing(files, scope, address)
      throw error
    }
    throw new ModelFileError(error.message, { cause: error, isMissing: true })
  }
}

/** Like `readAndKeepOptional`, without the network: a file that is not kept is missing. */
export async function readKept(
  files: ModelFiles,
  scope: CacheScope,
  address: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const isKept = (await files.list(scope)).some((file) => file.address === address)
  const bytes = isKept ? await files.read(scope, address) : new Uint8Array(0)
  if (bytes.length === 0) throw new ModelFileError(`${address} is not kept.`, { isMissing: true })
  return bytes
}

export async function keepMissing(files: ModelFiles, scope: CacheScope, address: string): Promise<void> {
  if ((await files.list(scope)).some((file) => file.address === address)) return
  await files.write(scope, address, new Uint8Array(0))
}

/** Opens the caches with the first file: `openStores` may throw StorageBlockedError. */
export function browserFiles(openStores: () => CacheStorage, fetchFile: typeof fetch = fetch): ModelFiles {
  const open = async (scope: CacheScope): Promise<Cache> => {
    const stores = openStores()
    try {
      return await stores.open(scope)
    } catch (cause) {
      throw new ModelFileError(
        `WebLLM keeps its models in the cache of the browser, which refuses this site (${String(cause)}). Leave the private window, or allow this site to store data.`,
        { cause },
      )
    }
  }
  return {
    async read(scope, address) {
      const stored = await (await open(scope)).match(address)
      let response: Response
      try {
        response = stored ?? (await fetchFile(address))
      } catch (cause) {
        throw new UnreachableFileError(
          `${address} could not be reached. Check the connection and load the model again.`,
          { cause },
        )
      }
      const { ok, status } = response
      const refusal = refusalText(address, status)
      if (status === 401 || status === 403) throw new ForbiddenFileError(refusal)
      if (!ok) throw new ModelFileError(refusal, { isMissing: status === 404 || status === 410 })
      return new Uint8Array(await response.arrayBuffer())
    },
    async write(scope, address, bytes) {
      const headers = { 'content-length': String(bytes.length) }
      const store = await open(scope)
      try {
        await store.put(address, new Response(bytes, { headers }))
      } catch (cause) {
        const isFull = cause instanceof DOMException && cause.name === 'QuotaExceededError'
        const why = isFull
          ? 'the browser gives this site no more room. Delete models that are not needed, or free disk space.'
          : `the browser does not let this site store files (${String(cause)}). Leave the private window, or allow this site to store data.`
        throw new ModelFileError(`${address} could not be kept: ${why}`, { cause })
      }
    },
    async list(scope) {
      const store = await open(scope)
      const files: StoredFile[] = []
      for (const request of await store.keys()) {
        const response = await store.match(request)
        files.push({ address: request.url, bytes: Number(response?.headers.get('content-length') ?? 0) })
      }
      return files
    },
    async remove(scope, address) {
      await (await open(scope)).delete(address)
    },
  }
}
