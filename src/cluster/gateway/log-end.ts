/** The last whole lines of a log, for a new client. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { LogLine } from '../protocol.ts'

export function readLogEnd(path: string, bytes: number): LogLine[] {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return []
  }
  try {
    const { size } = fstatSync(file)
    const from = Math.max(0, size - bytes)
    const buffer = Buffer.alloc(size - from)
    const end = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, from))
    // If the file is longer, the first line is incomplete.
    const first = from === 0 ? 0 : end.indexOf(10) + 1
    const last = end.lastIndexOf(10)
    const lines: LogLine[] = []
    for (let start = first, feed = 0; start <= last; start = feed + 1) {
      feed = end.indexOf(10, start)
      lines.push({ offset: from + start, text: end.subarray(start, feed).toString('utf8') })
    }
    return lines
  } finally {
    closeSync(file)
  }
}
