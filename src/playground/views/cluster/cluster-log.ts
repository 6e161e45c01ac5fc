/** The end of a job's log. Lines are told again after a cut: those that are told take the place of what began at their bytes. */
import type { LogLine, LogLines } from '../../../cluster/protocol.ts'

export const LOG_TAIL_LINES = 1000

export function appendLog(tail: readonly LogLine[], { lines }: LogLines, limit = LOG_TAIL_LINES): readonly LogLine[] {
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return tail
  const before = tail.findLastIndex(({ offset }) => offset < first.offset) + 1
  // What is told again from the middle of what is known ends with it or goes beyond.
  const after = tail.slice(before).filter(({ offset }) => offset > last.offset)
  return [...tail.slice(0, before), ...lines, ...after].slice(-limit)
}
