/** The end of a job's log. Lines are told again after a cut: those that are told take the place of what began at their bytes. */
import type { LogLines } from '../../cluster/protocol.ts'

export interface LogLine {
  /** Byte where it begins. */
  offset: number
  text: string
}

export const LOG_TAIL_LINES = 1000

const encoder = new TextEncoder()
// eslint-disable-next-line no-control-regex -- terminals' colours begin with the escape character
const ANSI = /\u001B\[[0-9;?]*[ -/]*[@-~]/g

export function appendLog(
  tail: readonly LogLine[],
  { offset, lines }: LogLines,
  limit = LOG_TAIL_LINES,
): readonly LogLine[] {
  let kept = tail.length
  while (kept > 0 && tail[kept - 1]!.offset >= offset) kept--
  const added: LogLine[] = []
  let at = offset
  for (const line of lines) {
    added.push({ offset: at, text: shownLine(line) })
    at += encoder.encode(line).length + 1
  }
  // What is told again from the middle of what is known ends with it or goes beyond.
  const rest = tail.slice(kept).filter((line) => line.offset >= at)
  return [...tail.slice(0, kept), ...added, ...rest].slice(-limit)
}

/** Without colours, and of a line that a progress bar wrote over and over its last state. */
export function shownLine(line: string): string {
  const plain = line.replaceAll(ANSI, '').replace(/\r+$/, '')
  return plain.slice(plain.lastIndexOf('\r') + 1)
}
