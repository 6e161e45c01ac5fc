/** The events of a log from its lines, in parts, because a long log does not fit into memory. */
import type { LoggedEvent } from '../method/events.ts'
import { RunLogReader } from './run-log.ts'

const EVENTS_PER_PART = 256

/** `lines` are as of textLines. `takeLast` gets what follows the last line break: an event, null for none, or it throws. Throws RunLogError. */
export async function* eventParts(
  lines: AsyncIterable<string>,
  takeLast: (line: string, log: RunLogReader) => LoggedEvent | null,
): AsyncGenerator<LoggedEvent[], void> {
  const log = new RunLogReader()
  let part: LoggedEvent[] = []
  let line: string | null = null
  for await (const next of lines) {
    const event = line === null ? null : log.take(line)
    line = next
    if (event) part.push(event)
    if (part.length < EVENTS_PER_PART) continue
    yield part
    part = []
  }
  const last = takeLast(line ?? '', log)
  if (last) part.push(last)
  if (part.length > 0) yield part
}
