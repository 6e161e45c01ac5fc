/** Raw deflate (RFC 1951), by the browser or by Node. */
import { joinArrays } from '../method/join-arrays.ts'

export function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return throughStream(bytes, new CompressionStream('deflate-raw'))
}

/** Throws RangeError if the result is longer than `limit` bytes, and an error for invalid data, in browsers a TypeError. */
export function inflate(bytes: Uint8Array<ArrayBuffer>, limit = Infinity): Promise<Uint8Array<ArrayBuffer>> {
  return throughStream(bytes, new DecompressionStream('deflate-raw'), limit)
}

async function throughStream(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  limit = Infinity,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length
    if (size > limit) {
      await reader.cancel()
      throw new RangeError(`More than ${limit} bytes.`)
    }
    chunks.push(next.value)
  }
  return joinArrays(Uint8Array, chunks)
}
