/**
 * Reads a growing file line by line, and continues after a restart where it stopped. An incomplete line is left for later. A file that
 * was cleared, cut or replaced is read from its start; this is detected by comparing the bytes before the cursor.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

export interface TailCursor {
  offset: number
  /** Up to FINGERPRINT bytes before `offset`, in base64. */
  before: string
}

export interface TailedLine {
  /** First byte of the line. */
  offset: number
  text: string
}

const FINGERPRINT = 64
const LINE_FEED = 10
/** Longer lines are split, because a progress bar never ends its line. */
const LONGEST_LINE = 1 << 16

export const AT_START: TailCursor = { offset: 0, before: '' }

/** Whole lines after the cursor, about `most` bytes at most, and the next cursor. A missing file has no lines. */
export function readTail(
  path: string,
  cursor: TailCursor,
  most = 1 << 20,
): { lines: TailedLine[]; cursor: TailCursor; hasMore: boolean; isFresh: boolean } {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { lines: [], cursor, hasMore: false, isFresh: false }
    }
    throw error
  }
  try {
    const { size } = fstatSync(file)
    const isSame = isContinued(file, size, cursor)
    const start = isSame ? cursor.offset : 0
    const bytes = readBytes(file, start, Math.min(most, size - start))
    const lines: TailedLine[] = []
    let at = 0
    while (at < bytes.length) {
      const feed = bytes.indexOf(LINE_FEED, at)
      let end = feed
      if (feed < 0 || feed - at > LONGEST_LINE) {
        if (bytes.length - at <= LONGEST_LINE) break
        end = at + LONGEST_LINE
      }
      lines.push({ offset: start + at, text: bytes.subarray(at, end).toString('utf8') })
      at = end === feed ? end + 1 : end
    }
    const offset = start + at
    return {
      lines,
      cursor: at === 0 && isSame ? cursor : { offset, before: fingerprint(file, offset) },
      hasMore: at > 0 && offset < size && start + bytes.length < size,
      isFresh: !isSame,
    }
  } finally {
    closeSync(file)
  }
}

function isContinued(file: number, size: number, { offset, before }: TailCursor): boolean {
  if (offset === 0) return true
  return size >= offset && fingerprint(file, offset) === before
}

function fingerprint(file: number, offset: number): string {
  const from = Math.max(0, offset - FINGERPRINT)
  return readBytes(file, from, offset - from).toString('base64')
}

function readBytes(file: number, from: number, count: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, count))
  let read = 0
  while (read < bytes.length) {
    const more = readSync(file, bytes, read, bytes.length - read, from + read)
    if (more === 0) break
    read += more
  }
  return bytes.subarray(0, read)
}

/** A cursor that continues at a byte of a file. */
export function cursorAt(path: string, offset: number): TailCursor {
  const file = openSync(path, 'r')
  try {
    return { offset, before: fingerprint(file, offset) }
  } finally {
    closeSync(file)
  }
}
