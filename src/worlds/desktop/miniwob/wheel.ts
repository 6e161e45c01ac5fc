/** Reads the wheel of MiniWoB++ as the Python registry has it: an archive with the task pages and what they load. */
import { errorText } from '../../../threads/error-text.ts'
import { ArchiveError, zipFiles } from '../../../storage/zip-files.ts'

export interface TaskPage {
  /** "click-button". */
  name: string
  /** Within `files`. */
  path: string
}

export interface Wheel {
  /** "1.1.0"; '' where the archive has no description. */
  version: string
  /** Files of the folder html by their path in it: "core/core.js". */
  files: ReadonlyMap<string, Uint8Array>
  pages: readonly TaskPage[]
}

/** The archive cannot be read, or is none of MiniWoB++. */
export class WheelError extends Error {
  override readonly name = 'WheelError'
}

/** By it the folder of the pages is found. */
const CORE = 'core/core.js'
const TASKS = 'miniwob/'
/** Copies of airlines' sites, which are large, and no task page of the set needs them. */
const LEFT_OUT = 'flight/'

/** Throws a WheelError. */
export async function readWheel(file: Blob): Promise<Wheel> {
  const all = new Map<string, () => Promise<Uint8Array>>()
  try {
    for await (const { path, bytes } of zipFiles(file)) all.set(path, bytes)
  } catch (cause) {
    if (!(cause instanceof ArchiveError)) throw cause
    throw new WheelError(`The wheel cannot be read. ${cause.message}`, { cause })
  }
  const core = [...all.keys()].find((path) => path.endsWith(`html/${CORE}`))
  if (core === undefined)
    throw new WheelError('It is no wheel of MiniWoB++: it has no html/core/core.js. Download miniwob from PyPI.')
  const root = core.slice(0, -CORE.length)
  const files = new Map<string, Uint8Array>()
  let version = ''
  for (const [path, bytes] of all) {
    const read = () =>
      bytes().catch((cause: unknown) => {
        throw new WheelError(`${path}: ${errorText(cause)}`, { cause })
      })
    if (path.startsWith(root) && !path.startsWith(root + LEFT_OUT)) files.set(path.slice(root.length), await read())
    else if (/\.dist-info\/METADATA$/.test(path))
      version = /^Version: (\S+)/m.exec(new TextDecoder().decode(await read()))?.[1] ?? ''
  }
  const pages = [...files.keys()]
    .filter((path) => path.startsWith(TASKS) && path.endsWith('.html'))
    .map((path) => ({ name: path.slice(TASKS.length, -'.html'.length), path }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  if (pages.length === 0) throw new WheelError(`The wheel has no task pages in ${root}${TASKS}.`)
  return { version, files, pages }
}
