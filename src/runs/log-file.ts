/**
 * A run log as a file, packed or not, as `npm run loop -- --out` writes it, to be kept beside the runs of the page. It has no
 * checkpoint, so it can be shown and compared, and not be resumed.
 */
import type { LoggedEvent } from '../method/events.ts'
import { unzipped } from '../storage/unzipped.ts'
import { eventParts } from './event-parts.ts'
import type { ReadArchive } from './run-archive.ts'
import { RunLogError } from './run-log.ts'
import { textLines } from './text-lines.ts'

/** Reads the file once, so that a damaged one is refused before anything of it is kept. Throws RunLogError, and Error for a damaged .gz. */
export async function readLogFile(file: File): Promise<ReadArchive> {
  let started: LoggedEvent | undefined
  let finished = 0
  for await (const part of eventsOf(file)) {
    started ??= part[0]
    for (const event of part) if (event.type === 'iteration-finished') finished = event.iteration
  }
  if (started?.type !== 'run-started')
    throw new RunLogError(2, 'the run has not started.', 'Choose the log of a run, from its beginning.')
  return {
    config: { runId: started.runId, iterations: finished, finishedIterations: finished, createdAt: file.lastModified },
    events: () => eventsOf(file),
    checkpoint: null,
    timings: new Map(),
  }
}

const eventsOf = (file: Blob) => eventParts(linesOf(file), (line, log) => log.takeLast(line))

async function* linesOf(file: Blob): AsyncGenerator<string> {
  try {
    yield* textLines(await unzipped(file.stream()))
  } catch (cause) {
    throw new Error('It cannot be unpacked, so it is damaged or incomplete. Copy it again.', { cause })
  }
}
