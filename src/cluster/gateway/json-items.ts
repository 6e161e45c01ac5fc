/**
 * Reads the items of a large JSON array from a file, one at a time: a dump of the release has gigabytes. Also reads
 * `{"data": [...]}`, the form of some dumps.
 */
import { createReadStream } from 'node:fs'

/** A dump that is incomplete or invalid; it may still be being written. */
export class TornJsonError extends Error {
  override readonly name = 'TornJsonError'
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [34, 92, 91, 93, 123, 125]
const LONGEST_ITEM = 64 << 20

/** The array's objects, parsed. An item longer than `longest` bytes is null. Throws TornJsonError. */
export async function* jsonItems(path: string, longest = LONGEST_ITEM): AsyncGenerator<unknown> {
  let pieces: Buffer[] = []
  let size = 0
  let depth = 0
  let base = -1
  let inString = false
  let escaped = false
  let isClosed = false
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    let start = depth > base && base >= 0 ? 0 : -1
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (inString) {
        if (escaped) escaped = false
        else if (byte === BACKSLASH) escaped = true
        else if (byte === QUOTE) inString = false
        continue
      }
      if (byte === QUOTE) inString = true
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (base < 0 && byte === OPEN_BRACKET && depth <= 1) base = depth + 1
        else if (depth === base && !isClosed && byte === OPEN_BRACE) start = at
        depth++
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth--
        if (depth < 0) throw new TornJsonError('It closes more brackets than it opens.')
        if (base >= 0 && depth === base - 1) isClosed = true
        if (depth === base && !isClosed && start >= 0) {
          size += at + 1 - start
          if (size > longest) yield null
          else yield parsed(Buffer.concat([...pieces, chunk.subarray(start, at + 1)]))
          pieces = []
          size = 0
          start = -1
        }
      }
    }
    if (start >= 0 && depth > base) {
      const piece = chunk.subarray(start)
      size += piece.length
      if (size <= longest) pieces.push(Buffer.from(piece))
      else pieces = []
    }
  }
  if (base < 0 || depth !== 0 || inString) throw new TornJsonError('It ends in the middle.')
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new TornJsonError('One of its items is not JSON.', { cause })
  }
}
