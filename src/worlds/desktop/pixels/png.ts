/** Writes pixels as PNG: one chunk for the size, one for the compressed rows, one for the end. */
import type { Pixels } from './draw.ts'

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = CRC_TABLE[(value ^ byte) & 0xff]! ^ (value >>> 8)
  return ~value >>> 0
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, data.length)
  bytes.set(new TextEncoder().encode(type), 4)
  bytes.set(data, 8)
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)))
  return bytes
}

/** Eight bits a channel, without transparency. */
export async function png({ width, height, rgb }: Pixels): Promise<Uint8Array> {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  header.set([8, 2, 0, 0, 0], 8)
  // Each row begins with its filter: 0, none.
  const rows = new Uint8Array(height * (1 + 3 * width))
  for (let row = 0; row < height; row++)
    rows.set(rgb.subarray(3 * width * row, 3 * width * (row + 1)), row * (1 + 3 * width) + 1)
  const compressed = new Blob([rows]).stream().pipeThrough(new CompressionStream('deflate'))
  const data = new Uint8Array(await new Response(compressed).arrayBuffer())
  const parts = [SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', new Uint8Array())]
  return new Uint8Array(await new Blob(parts.map((part) => part.slice())).arrayBuffer())
}
