/** The end of a job's log. After a reconnect the gateway repeats lines, which replace those at the same offsets. */
import type { LogLine, LogLines } from '../../../cluster/protocol.ts'

const LOG_TAIL_LINES = 1000

export function appendLog(tail: readonly LogLine[], { lines }: LogLines, limit = LOG_TAIL_LINES): readonly LogLine[] {
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return tail
  const before = tail.findLastIndex(({ offset }) => offset < first.offset) + 1
  // Keep known lines after the repeated ones.
  const after = tail.slice(before).filter(({ offset }) => offset > last.offset)
  return [...tail.slice(0, before), ...lines, ...after].slice(-limit)
}
