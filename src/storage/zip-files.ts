/**
 * Reads files from a zip archive in place: loads only the list of files and the requested files. Nothing is written to disk,
 * so any file name is safe.
 *
 * An archive has its list of files at the end, so an incomplete download has none. Since every file also has its own header,
 * a new list is made from the headers, and the files before the cut can still be read.
 */
import { BlobReader, Uint8ArrayWriter, ZipReader, type Entry } from '@zip.js/zip.js/lib/zip-core-custom.js'
import { archiveWithList } from './zip-salvage.ts'

/** An archive cannot be read, or only in part. Thrown after the readable files. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/** In bytes. What the page reads of archives, such as games, is far smaller; a file this large might fill the memory. */
const LARGEST_FILE = 64 * 2 ** 20

/** Its path is as it is in the archive, with "/". */
export interface ZippedFile {
  path: string
  isPart: true
  bytes(): Promise<Uint8Array>
}

/** Also yields damaged files, whose `bytes` throw. */
export async function* zipFiles(zip: Blob): AsyncGenerator<ZippedFile> {
  let entries: Entry[]
  try {
    entries = await entriesOf(zip)
  } catch (cause) {
    const salvaged = await archiveWithList(zip)
    if (salvaged === null) {
      throw new ArchiveError('It is not a zip archive, or its beginning and end are damaged. Download it again.', {
        cause,
      })
    }
    const files = (await entriesOf(salvaged)).flatMap(sourceFile)
    yield* files
    throw new ArchiveError(
      `The archive has no list of files, so the download is probably incomplete. ${files.length} files were recovered. ` +
        'Download it again for the rest.',
      { cause },
    )
  }
  yield* entries.flatMap(sourceFile)
}

function entriesOf(zip: Blob): Promise<Entry[]> {
  return new ZipReader(new BlobReader(zip), {
    useWebWorkers: false,
    checkCrc32: true,
    strictness: 'tolerant',
  }).getEntries()
}

function sourceFile(entry: Entry): ZippedFile[] {
  if (entry.directory) return []
  const bytes = async () => {
    if (entry.encrypted) throw new ArchiveError('it is encrypted; unpack the archive and import the folder instead.')
    if (entry.uncompressedSize > LARGEST_FILE) throw new ArchiveError('unpacked, it is larger than any game.')
    try {
      return await entry.getData(new Uint8ArrayWriter())
    } catch (cause) {
      throw new ArchiveError(`it cannot be unpacked (${cause instanceof Error ? cause.message : String(cause)}).`, {
        cause,
      })
    }
  }
  return [{ path: entry.filename.replaceAll('\\', '/'), isPart: true, bytes }]
}
