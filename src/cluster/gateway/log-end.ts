/** The last whole lines of a log, for somebody who has just come. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { LogLines } from '../protocol.ts'

export function readLogEnd(path: string, bytes: number): LogLines {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return { offset: 0, lines: [] }
  }
  try {
    const { size } = fstatSync(file)
    const from = Math.max(0, size - bytes)
    const buffer = Buffer.alloc(size - from)
    const end = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, from))
    // The first line is cut where the file is longer.
    const first = from === 0 ? 0 : end.indexOf(10) + 1
    const last = end.lastIndexOf(10)
    if (last < first) return { offset: from + first, lines: [] }
    return { offset: from + first, lines: end.subarray(first, last).toString('utf8').split('\n') }
  } finally {
    closeSync(file)
  }
}
