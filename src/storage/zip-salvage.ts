/**
 * Rebuilds the list of files ("central directory") of a zip archive from the header before each file. Layout of the records:
 * PKWARE's APPNOTE.TXT, 4.3.7 to 4.3.16; all numbers are little-endian.
 */

const FILE_HEADER = 0x04034b50
const FILE_HEADER_LENGTH = 30
const LIST_HEADER = 0x02014b50
const LIST_HEADER_LENGTH = 46
const END_OF_LIST = 0x06054b50
const END_OF_LIST_LENGTH = 22
const DESCRIPTOR = 0x08074b50
const DESCRIPTOR_LENGTH = 16
const ZIP64_DESCRIPTOR_LENGTH = 24
const ZIP64_FIELD = 1
/** Placeholder for a 64-bit size in the extra field. */
const IN_EXTRA_FIELD = 0xffffffff
/** Flag: sizes and checksum follow the file. */
const HAS_DESCRIPTOR = 8
const WINDOW = 64 * 1024

interface Found {
  offset: number
  /** The header before the file, including name and extra field. */
  header: DataView
  crc32: number
  compressedSize: number
  uncompressedSize: number
  /** Where the next record begins. */
  end: number
}

/** Null if the archive does not begin with a file. Also lists a truncated file, which cannot be read. */
export async function archiveWithList(zip: Blob): Promise<Blob | null> {
  if (!(await fileHeader(zip, 0))) return null
  const files: Found[] = []
  for (let offset = 0; offset < zip.size;) {
    const found = await findFile(zip, offset)
    if (found) files.push(found)
    offset = found?.end ?? (await findSignature(zip, FILE_HEADER, offset + 1)) ?? zip.size
  }
  const list = files.map(listHeader)
  const listLength = list.reduce((sum, { length }) => sum + length, 0)
  return new Blob([zip, ...list, endOfList(files.length, listLength, zip.size)])
}

async function fileHeader(zip: Blob, offset: number): Promise<DataView | null> {
  const fixed = await view(zip, offset, FILE_HEADER_LENGTH)
  if (fixed.byteLength < FILE_HEADER_LENGTH || fixed.getUint32(0, true) !== FILE_HEADER) return null
  const length = FILE_HEADER_LENGTH + fixed.getUint16(26, true) + fixed.getUint16(28, true)
  const header = await view(zip, offset, length)
  return header.byteLength === length ? header : null
}

async function findFile(zip: Blob, offset: number): Promise<Found | null> {
  const header = await fileHeader(zip, offset)
  if (!header) return null
  const start = offset + header.byteLength
  const sizes =
    (header.getUint16(6, true) & HAS_DESCRIPTOR) === 0 ? headerSizes(header) : await descriptorSizes(zip, start)
  if (sizes && start + sizes.compressedSize <= zip.size) {
    return { offset, header, ...sizes, end: start + sizes.compressedSize + sizes.descriptorLength }
  }
  // The file is truncated or its sizes are damaged: it ends where the next file begins.
  const end = (await findSignature(zip, FILE_HEADER, start)) ?? zip.size
  return { offset, header, crc32: 0, compressedSize: end - start, uncompressedSize: 1, end }
}

type Sizes = Pick<Found, 'crc32' | 'compressedSize' | 'uncompressedSize'> & { descriptorLength: number }

function headerSizes(header: DataView): Sizes {
  const sizes = { crc32: header.getUint32(14, true), descriptorLength: 0 }
  const compressedSize = header.getUint32(18, true)
  if (compressedSize < IN_EXTRA_FIELD) return { ...sizes, compressedSize, uncompressedSize: header.getUint32(22, true) }
  const start = FILE_HEADER_LENGTH + header.getUint16(26, true)
  for (let at = start; at + 20 <= header.byteLength; at += 4 + header.getUint16(at + 2, true)) {
    if (header.getUint16(at, true) !== ZIP64_FIELD) continue
    const long = (offset: number) => Number(header.getBigUint64(at + offset, true))
    return { ...sizes, uncompressedSize: long(4), compressedSize: long(12) }
  }
  return { ...sizes, compressedSize: Infinity, uncompressedSize: 0 }
}

/** Finds the descriptor after a file: the size in it must equal the distance to the file's beginning. */
async function descriptorSizes(zip: Blob, start: number): Promise<Sizes | null> {
  for (let at = await findSignature(zip, DESCRIPTOR, start); at !== null;) {
    const descriptor = await view(zip, at, ZIP64_DESCRIPTOR_LENGTH)
    const compressedSize = at - start
    if (descriptor.byteLength >= DESCRIPTOR_LENGTH && descriptor.getUint32(8, true) === compressedSize) {
      const crc32 = descriptor.getUint32(4, true)
      const uncompressedSize = descriptor.getUint32(12, true)
      // The sizes have 32 or 64 bits. With 64, the upper half of the first is zero, as is the second 32-bit size of an empty file,
      // after which comes the next record.
      const isZip64 =
        uncompressedSize === 0 &&
        descriptor.byteLength === ZIP64_DESCRIPTOR_LENGTH &&
        ![FILE_HEADER, LIST_HEADER].includes(descriptor.getUint32(16, true))
      if (!isZip64) return { crc32, compressedSize, uncompressedSize, descriptorLength: DESCRIPTOR_LENGTH }
      const long = descriptor.getUint32(16, true)
      return { crc32, compressedSize, uncompressedSize: long, descriptorLength: ZIP64_DESCRIPTOR_LENGTH }
    }
    at = await findSignature(zip, DESCRIPTOR, at + 1)
  }
  return null
}

async function findSignature(zip: Blob, signature: number, from: number): Promise<number | null> {
  for (let offset = from; offset < zip.size; offset += WINDOW) {
    const window = await view(zip, offset, WINDOW + 3)
    for (let i = 0; i + 4 <= window.byteLength; i++) {
      if (window.getUint32(i, true) === signature) return offset + i
    }
  }
  return null
}

async function view(zip: Blob, offset: number, length: number): Promise<DataView> {
  return new DataView(await zip.slice(offset, Math.min(offset + length, zip.size)).arrayBuffer())
}

function listHeader({ offset, header, crc32, compressedSize, uncompressedSize }: Found): Uint8Array<ArrayBuffer> {
  const nameLength = header.getUint16(26, true)
  const record = new Uint8Array(LIST_HEADER_LENGTH + nameLength)
  const fields = new DataView(record.buffer)
  fields.setUint32(0, LIST_HEADER, true)
  fields.setUint16(4, header.getUint16(4, true), true)
  // Version, flags, method, time and date are the same as in the file's own header.
  for (let at = 4; at < 14; at += 2) fields.setUint16(at + 2, header.getUint16(at, true), true)
  fields.setUint32(16, crc32, true)
  fields.setUint32(20, compressedSize, true)
  fields.setUint32(24, uncompressedSize, true)
  fields.setUint16(28, nameLength, true)
  fields.setUint32(42, offset, true)
  record.set(new Uint8Array(header.buffer, header.byteOffset + FILE_HEADER_LENGTH, nameLength), LIST_HEADER_LENGTH)
  return record
}

function endOfList(count: number, length: number, offset: number): Uint8Array<ArrayBuffer> {
  const record = new Uint8Array(END_OF_LIST_LENGTH)
  const fields = new DataView(record.buffer)
  fields.setUint32(0, END_OF_LIST, true)
  fields.setUint16(8, count, true)
  fields.setUint16(10, count, true)
  fields.setUint32(12, length, true)
  fields.setUint32(16, offset, true)
  return record
}
