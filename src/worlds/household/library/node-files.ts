/** Reads games from disk for the command line: a zip, a folder (json_2.1.1, or one above or below it) or a single file. */
import { openAsBlob } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import type { SourceFile } from './game-library.ts'
import { SourceError } from './import-games.ts'
import { ArchiveError, zipFiles } from '../../../storage/zip-files.ts'

/** Number of parent folders to include in paths, so that the split and task are known if only their folder is given. */
const FOLDERS_ABOVE = 3

/** Yields files by path. Follows links and reads each folder once. Throws a SourceError that names the path as given. */
export async function* openGames(path: string): AsyncGenerator<SourceFile> {
  const absolute = resolve(path)
  const named = absolute
    .split(sep)
    .filter(Boolean)
    .slice(-FOLDERS_ABOVE - 1)
    .join('/')
  const found = await stat(absolute).catch((cause: unknown) => {
    throw new SourceError(path, unreadable(cause), { cause })
  })
  if (found.isDirectory()) yield* allFilesBelow(absolute, named)
  else if (/\.zip$/i.test(path)) yield* archiveFiles(absolute, path)
  else yield { path: named, isPart: false, bytes: () => readFile(absolute) }
}

function unreadable(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException
  return code === 'ENOENT' ? 'No such file or folder.' : `It cannot be read: ${message}.`
}

/** Reads all readable folders before it throws the error of one that is not. */
async function* allFilesBelow(folder: string, named: string): AsyncGenerator<SourceFile> {
  const unreadable: SourceError[] = []
  yield* folderFiles(folder, named, { seen: new Set(), unreadable })
  if (unreadable[0]) throw unreadable[0]
}

async function* folderFiles(
  folder: string,
  named: string,
  walk: { seen: Set<string>; unreadable: SourceError[] },
): AsyncGenerator<SourceFile> {
  const real = await realpath(folder)
  if (walk.seen.has(real)) return
  walk.seen.add(real)
  const names = await readdir(folder).catch((cause: unknown) => {
    walk.unreadable.push(new SourceError(named, `The folder cannot be read: ${(cause as Error).message}`, { cause }))
    return []
  })
  for (const name of names.sort()) {
    const file = resolve(folder, name)
    const path = `${named}/${name}`
    const found = await stat(file).catch(() => null)
    if (found?.isDirectory()) yield* folderFiles(file, path, walk)
    else yield { path, isPart: true, bytes: () => readFile(file) }
  }
}

async function* archiveFiles(file: string, path: string): AsyncGenerator<SourceFile> {
  try {
    yield* zipFiles(await openAsBlob(file))
  } catch (error) {
    if (error instanceof ArchiveError) throw new SourceError(path, error.message, { cause: error })
    throw error
  }
}
