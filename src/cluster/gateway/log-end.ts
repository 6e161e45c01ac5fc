/** The last whole lines of a log, for somebody who has just come. */
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
    // The first line is cut where the file is longer.
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
