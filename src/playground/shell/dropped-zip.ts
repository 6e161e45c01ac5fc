/**
 * Whether a zip is a run that somebody exported, told by the names in it: beside its config.json a run has its
 * metrics.jsonl (run-archive.ts), and a release of games has neither. Only the list of files is read, from the end of the
 * zip. One that has lost its list, as when a download is cut off, is told by the file that it begins with; what is wrong
 * with it is then said by whoever imports it.
 */

/** Signature of a file in a zip, little-endian: PKWARE's APPNOTE.TXT, 4.3.7. */
const FILE_HEADER = 0x04034b50
/** Of a zip without files: 4.3.16. */
const END_OF_LIST = 0x06054b50
const FILE_HEADER_LENGTH = 30
const FIRST_FILE = 'config.json'
const LOG = 'run.jsonl'

export async function isZip(file: Blob): Promise<boolean> {
  const head = new DataView(await file.slice(0, 4).arrayBuffer())
  return head.byteLength === 4 && [FILE_HEADER, END_OF_LIST].includes(head.getUint32(0, true))
}

/** False for what is no zip. */
export async function isRunZip(file: Blob): Promise<boolean> {
  if (!(await isZip(file))) return false
  // Few drop a zip: what reads its list is loaded for those who do.
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

/** Whether the name that came last completes a run, in whatever folder somebody packed it again. */
function holdsRun(names: ReadonlySet<string>, last: string): boolean {
  const folder = last.replaceAll('\\', '/').replace(/[^/]*$/, '')
  return names.has(`${folder}${FIRST_FILE}`) && names.has(`${folder}metrics.jsonl`)
}

/** Its first file is config.json, and the log's name follows within a few kilobytes. */
async function beginsLikeRun(file: Blob): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 2 ** 16).arrayBuffer())
  const text = new TextDecoder('latin1').decode(head)
  return text.startsWith(FIRST_FILE, FILE_HEADER_LENGTH) && text.includes(LOG)
}
