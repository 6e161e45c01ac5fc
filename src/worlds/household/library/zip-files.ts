/**
 * The files of a zip archive, read where they lie: only the list of files and the files asked for leave the disk. Nothing
 * is written anywhere, so names may be what they like.
 *
 * The list stands at the end of an archive, and a download that was cut off has none. Every file also has a header of its
 * own, so a new list is made from these and the files before the cut are read all the same.
 */
import { BlobReader, Uint8ArrayWriter, ZipReader, type Entry } from '@zip.js/zip.js/lib/zip-core-custom.js'
import type { SourceFile } from './game-library.ts'
import { archiveWithList } from './zip-salvage.ts'

/** An archive that cannot be read, or not whole: thrown after the files that can be. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/** Bytes. A game has about 100 kB; what claims to be this large is none, and might fill the memory. */
const LARGEST_FILE = 64 * 2 ** 20

/** Files that are damaged come as well, and throw when their bytes are asked for. */
export async function* zipFiles(zip: Blob): AsyncGenerator<SourceFile> {
  let entries: Entry[]
  try {
    entries = await entriesOf(zip)
  } catch (cause) {
    const salvaged = await archiveWithList(zip)
    if (salvaged === null) {
      throw new ArchiveError('It is no zip archive, or its beginning and its end are damaged. Download it again.', {
        cause,
      })
    }
    const files = (await entriesOf(salvaged)).flatMap(sourceFile)
    yield* files
    throw new ArchiveError(
      `The archive has lost its list of files, as when a download is cut off; ${files.length} files before that could ` +
        'be found. Download it again for the rest.',
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

function sourceFile(entry: Entry): SourceFile[] {
  if (entry.directory) return []
  const bytes = async () => {
    if (entry.encrypted) throw new ArchiveError('it is encrypted; unpack the archive and give the folder instead.')
    if (entry.uncompressedSize > LARGEST_FILE) throw new ArchiveError('unpacked it would be larger than any game.')
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
