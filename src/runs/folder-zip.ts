/** Packs folders of models as a zip. */
import { BlobWriter, Uint8ArrayReader, ZipWriter } from '@zip.js/zip.js/lib/zip-core-custom.js'

export async function writeZip(files: readonly { path: string; bytes: Uint8Array }[]): Promise<Blob> {
  const zip = new ZipWriter(new BlobWriter('application/zip'), { useWebWorkers: false, extendedTimestamp: false })
  // Floating-point numbers hardly compress, and the rest is small.
  for (const { path, bytes } of files) await zip.add(path, new Uint8ArrayReader(bytes), { level: 0 })
  return zip.close()
}
