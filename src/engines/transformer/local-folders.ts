/**
 * Model folders that were added to the page. They are copied into the origin-private file system, because a picked file is
 * readable only until the page is closed, and resuming a run requires it again. A role's source names one as `local:NAME`.
 */
import { directoryReader, ModelFileError, type ModelReader } from '../../language-model/files/model-folder.ts'
import { openFileSystem } from '../../storage/browser-storage.ts'
import { tellOfFolders } from '../../storage/folder-news.ts'
import type { OnBytes } from '../../roles/role-model.ts'
import { joinArrays } from '../../method/join-arrays.ts'
import { errorText } from '../../threads/error-text.ts'
import { modelsVersion } from '../../worlds/own/models-folder.ts'

/** Prefix of the name of a folder, in place of an address. */
export const LOCAL = 'local:'

/** Its folder in the origin-private file system. */
const FOLDER = 'model-folders'

/** The files of a Hugging Face folder that are read; other formats of the same weights are skipped. */
const IS_READ =
  /^(config|generation_config|tokenizer|tokenizer_config|special_tokens_map|model\.safetensors\.index)\.json$|^chat_template\.jinja$|^model(-\d+-of-\d+)?\.safetensors$/

/** Whether a file of a model folder is read, and kept, by its name. */
export const isRead = (name: string): boolean => IS_READ.test(name)

/** Bytes to hash at once. */
const PIECE_BYTES = 1 << 22

/**
 * "policy@1a2b3c4d", by what its files hold. Many folders are named alike, and a kept run must not find the weights of another under
 * the name of its own. Throws ModelFileError for an incomplete folder before it reads anything, and the signal's reason.
 */
export async function folderVersion(name: string, files: readonly File[], signal?: AbortSignal): Promise<string> {
  refuseIncomplete(name, files)
  let digest = new Uint8Array()
  const add = async (piece: Uint8Array) => {
    signal?.throwIfAborted()
    digest = new Uint8Array(await crypto.subtle.digest('SHA-256', joinArrays(Uint8Array, [digest, piece])))
  }
  for (const file of [...files].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    await add(new TextEncoder().encode(`${file.name} ${file.size}`))
    for (let at = 0; at < file.size; at += PIECE_BYTES)
      await add(new Uint8Array(await file.slice(at, at + PIECE_BYTES).arrayBuffer()))
  }
  return `${name}@${Array.from(digest.subarray(0, 4), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

export interface LocalFolder {
  name: string
  bytes: number
}

/** Provides the root of a file system: the browser's, or a stand-in. */
export type FileSystemRoot = Pick<StorageManager, 'getDirectory'>

/** Throws StorageBlockedError where the browser keeps no files. */
const BROWSER: FileSystemRoot = { getDirectory: () => openFileSystem('model folders') }

/**
 * Copies the files that are read, replacing a folder of the same name. Throws ModelFileError if config.json, the tokenizer or the
 * weights are missing, before copying anything, or if there is no space, and then leaves nothing; and the signal's reason when it is
 * aborted, and then leaves nothing, too.
 */
export async function keepLocalFolder(
  name: string,
  files: Iterable<File>,
  onBytes: OnBytes = () => {},
  root: FileSystemRoot = BROWSER,
  signal?: AbortSignal,
): Promise<LocalFolder> {
  const read = [...files].filter((file) => isRead(file.name))
  refuseIncomplete(name, read)
  const total = read.reduce((sum, { size }) => sum + size, 0)
  const folders = await foldersIn(root)
  await removeFrom(folders, name)
  let done = 0
  try {
    const folder = await folders.getDirectoryHandle(encodeURIComponent(name), { create: true })
    for (const file of read) {
      const writable = await (await folder.getFileHandle(file.name, { create: true })).createWritable()
      await file.stream().pipeTo(writable, signal ? { signal } : {})
      onBytes((done += file.size), total)
    }
  } catch (cause) {
    await removeFrom(folders, name)
    tellOfFolders()
    signal?.throwIfAborted()
    throw new ModelFileError(
      `The folder "${name}" could not be copied (${errorText(cause)}). It takes ${Math.ceil(total / 1e6)} MB of this browser's space for the site: delete models that you do not need, or free disk space.`,
      { cause },
    )
  }
  tellOfFolders()
  return { name, bytes: total }
}

function refuseIncomplete(name: string, read: readonly File[]): void {
  const names = new Set(read.map((file) => file.name))
  const missing = ['config.json', 'tokenizer.json'].filter((file) => !names.has(file))
  if (!read.some((file) => file.name.endsWith('.safetensors'))) missing.push('model.safetensors')
  if (missing.length > 0)
    throw new ModelFileError(
      `The folder "${name}" lacks ${missing.join(', ')}. Use a standard Hugging Face model folder with safetensors weights.`,
      { isMissing: true },
    )
}

/** Sorted by name. */
export async function localFolders(root: FileSystemRoot = BROWSER): Promise<LocalFolder[]> {
  const folders: LocalFolder[] = []
  for await (const handle of (await foldersIn(root)).values()) {
    if (handle.kind !== 'directory') continue
    let bytes = 0
    for await (const file of handle.values()) if (file.kind === 'file') bytes += (await file.getFile()).size
    folders.push({ name: decodeURIComponent(handle.name), bytes })
  }
  return folders.sort((a, b) => a.name.localeCompare(b.name))
}

/** No-op if the folder does not exist. */
export async function removeLocalFolder(name: string, root: FileSystemRoot = BROWSER): Promise<void> {
  await removeFrom(await foldersIn(root), name)
  tellOfFolders()
}

async function removeFrom(folders: FileSystemDirectoryHandle, name: string): Promise<void> {
  await folders.removeEntry(encodeURIComponent(name), { recursive: true }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}

/** Throws ModelFileError if there is no such folder. */
export async function localFolderReader(name: string, root: FileSystemRoot = BROWSER): Promise<ModelReader> {
  try {
    const folder = await (await foldersIn(root)).getDirectoryHandle(encodeURIComponent(name))
    return { ...directoryReader(folder), name }
  } catch (cause) {
    if (!isNotFound(cause)) throw cause
    throw new ModelFileError(`The folder "${name}" is no longer in this browser. ${remedyFor(name)}`, {
      cause,
      isMissing: true,
    })
  }
}

function remedyFor(name: string): string {
  const of = modelsVersion(name)
  if (of === null) return 'Add it again under Models, with the same files.'
  return `It belongs to version ${of.version} of ${of.folder}: drop that folder on this page, with the same files as then.`
}

async function foldersIn(root: FileSystemRoot): Promise<FileSystemDirectoryHandle> {
  return (await root.getDirectory()).getDirectoryHandle(FOLDER, { create: true })
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'NotFoundError'
}
