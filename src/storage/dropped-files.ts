/** Files that the user drops on the page or chooses with a button, including all files in folders, for a worker to read. */

/** Structured-cloneable. */
export type PickedFile =
  | { path: string; file: File }
  /** A file that the browser lists but cannot open. */
  | { path: string; file: null; reason: string }

export interface Drop {
  /** Run logs, to open as recordings. */
  logs: File[]
  /** All other files, listed lazily. Null if there are none. */
  files: AsyncGenerator<PickedFile> | null
}

/**
 * Recognises a run log by its name. Ambiguous names (.json, .txt, .gz) count only if the file is dropped alone: among other
 * files it probably came with the games.
 */
export function isRunLogName(name: string, isAlone: boolean): boolean {
  return /\.jsonl(\.gz)?$/i.test(name) || (isAlone && /\.(json|txt|gz)$/i.test(name))
}

/** Call this during the drop event: the browser clears the items afterwards. */
export function takeDrop(transfer: DataTransfer): Drop {
  const items = [...transfer.items].filter((item) => item.kind === 'file')
  const roots = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const logs: File[] = []
  const rest: (FileSystemEntry | File)[] = []
  for (const { entry, file } of roots) {
    if (file !== null && !entry?.isDirectory && isRunLogName(file.name, roots.length === 1)) logs.push(file)
    else if (entry?.isDirectory) rest.push(entry)
    else if (file !== null) rest.push(file)
  }
  return { logs, files: rest.length === 0 ? null : walk(rest) }
}

/** Files of an input, with their path if the user chose a folder. */
export async function* chosenFiles(files: Iterable<File>): AsyncGenerator<PickedFile> {
  for (const file of files) yield { path: file.webkitRelativePath || file.name, file }
}

async function* walk(roots: readonly (FileSystemEntry | File)[]): AsyncGenerator<PickedFile> {
  for (const root of roots) {
    if (root instanceof File) yield { path: root.name, file: root }
    else yield* walkEntry(root)
  }
}

async function* walkEntry(entry: FileSystemEntry): AsyncGenerator<PickedFile> {
  const path = entry.fullPath.replace(/^\//, '')
  if (entry.isFile) {
    yield await fileOf(entry as FileSystemFileEntry, path)
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // Returns up to a hundred entries per call, and none at the end.
    const children = await new Promise<FileSystemEntry[] | DOMException>((resolve) =>
      reader.readEntries(resolve, resolve),
    )
    if (children instanceof DOMException) {
      yield { path, file: null, reason: `The folder could not be listed: ${children.message}` }
      return
    }
    if (children.length === 0) return
    const files = children.filter((child) => child.isFile) as FileSystemFileEntry[]
    yield* await Promise.all(files.map((file) => fileOf(file, file.fullPath.replace(/^\//, ''))))
    for (const folder of children.filter((child) => child.isDirectory)) yield* walkEntry(folder)
  }
}

function fileOf(entry: FileSystemFileEntry, path: string): Promise<PickedFile> {
  return new Promise((resolve) =>
    entry.file(
      (file) => resolve({ path, file }),
      (error) => resolve({ path, file: null, reason: `The file could not be opened: ${error.message}` }),
    ),
  )
}
