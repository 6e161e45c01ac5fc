/** Reads, checks and keeps worlds and their models. Loaded once there is a world. */
import { errorText } from '../../../threads/error-text.ts'
import { keepLocalFolder, localFolders } from '../../../engines/transformer/local-folders.ts'
import { deadlined } from '../../../threads/deadline.ts'
import type { CheckLine } from '../../../worlds/own/check.ts'
import { OwnWorldError } from '../../../worlds/own/error.ts'
import { IndexedDbWorldLibrary, type KeptWorld } from '../../../worlds/own/library/indexeddb-library.ts'
import type { OpenChecker } from './check-worker.ts'

export { versionName } from './version-name.ts'
export { keepLocalFolder }

/** Single calls of a world end after two seconds; all checks of a slow one would take minutes. */
const LONGEST_CHECK_MS = 60_000
const LATE = `The checks did not end within ${LONGEST_CHECK_MS / 1000} seconds and were stopped. Make the world's functions faster.`

export const library = new IndexedDbWorldLibrary()

/** Throws OwnWorldError if the file is no world. Checks that fail, or do not end in time, are among its lines. */
export async function readWorld(open: OpenChecker, file: File): Promise<KeptWorld> {
  const { remote, terminate } = deadlined(open(), LONGEST_CHECK_MS, () => new OwnWorldError(LATE))
  try {
    const { module, facts } = await remote.read(await file.text(), file.name)
    const lines: CheckLine[] = []
    await remote
      .check((line) => void lines.push(line))
      .catch((cause: unknown) => lines.push({ name: 'checks', passed: false, detail: errorText(cause) }))
    return { file: file.name, module, facts, lines }
  } finally {
    terminate()
  }
}

/** Throws StorageBlockedError where the browser keeps no files. */
export async function keptFolders(): Promise<string[]> {
  return (await localFolders()).map(({ name }) => name)
}
