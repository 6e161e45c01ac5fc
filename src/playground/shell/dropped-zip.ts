/**
 * Recognises a zip as an exported run by its file names: a run has config.json and metrics.jsonl in one folder
 * (run-archive.ts), a release of games has neither. Reads only the list of files at the end of the zip. A truncated zip, as
 * from an interrupted download, is recognised by its first file; importing it then reports the problem.
 */

/** Signature of a file in a zip, little-endian: PKWARE's APPNOTE.TXT, 4.3.7. */
const FILE_HEADER = 0x04034b50
/** Signature of a zip without files: 4.3.16. */
const END_OF_LIST = 0x06054b50
const FILE_HEADER_LENGTH = 30
const FIRST_FILE = 'config.json'
const LOG = 'run.jsonl'

export async function isZip(file: Blob): Promise<boolean> {
  const head = new DataView(await file.slice(0, 4).arrayBuffer())
  return head.byteLength === 4 && [FILE_HEADER, END_OF_LIST].includes(head.getUint32(0, true))
}

/** False for files that are not zips. */
export async function isRunZip(file: Blob): Promise<boolean> {
  if (!(await isZip(file))) return false
  // Loaded only when a zip is dropped.
  const { BlobReader, ZipReader } = await import('@zip.js/zip.js/lib/zip-core-custom.js')
  const reader = new ZipReader(new BlobReader(file), { useWebWorkers: false })
  const names = new Set<string>()
  try {
    for await (const { filename } of reader.getEntriesGenerator()) {
      names.add(filename.replaceAll('\\', '/'))
      if (holdsRun(names, filename)) return true
    }
    return false
  } catch {
    return beginsLikeRun(file)
  } finally {
    await reader.close()
  }
}

/** Whether the last name completes a run, in any folder. */
function holdsRun(names: ReadonlySet<string>, last: string): boolean {
  const folder = last.replaceAll('\\', '/').replace(/[^/]*$/, '')
  return names.has(`${folder}${FIRST_FILE}`) && names.has(`${folder}metrics.jsonl`)
}

/** Whether the first file is config.json and the log's name follows within a few kilobytes. */
async function beginsLikeRun(file: Blob): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 2 ** 16).arrayBuffer())
  const text = new TextDecoder('latin1').decode(head)
  return text.startsWith(FIRST_FILE, FILE_HEADER_LENGTH) && text.includes(LOG)
}
