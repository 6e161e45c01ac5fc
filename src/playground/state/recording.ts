/** Reads a run log from a stream, packed or not, into a folded run and the events to replay it. */
import type { LoggedEvent } from '../../method/events.ts'
import { RunView } from '../../runs/fold.ts'
import { readableEvent } from '../../runs/readable-event.ts'
import { RunLogReader } from '../../runs/run-log.ts'
import { unzipped } from '../../storage/unzipped.ts'
import { slicer } from '../kit/time-slice.ts'
import type { RecordingSource } from './run-on-show.ts'

/** A kept run, which the store reads in batches. */
export interface KeptSource extends RecordingSource {
  runId: string
  readEvents(onBatch: (events: readonly LoggedEvent[]) => void): Promise<void>
}

export interface Recording {
  whole: RunView
  source: RecordingSource
}

/** Hands on each event as it is in the log. Throws RunLogError. */
export async function readRecording(
  body: ReadableStream<Uint8Array>,
  onEvent?: (event: LoggedEvent) => void,
): Promise<Recording> {
  const whole = new RunView()
  const events: LoggedEvent[] = []
  const log = new RunLogReader()
  const take = (event: LoggedEvent | null) => {
    if (event === null) return
    onEvent?.(event)
    const readable = readableEvent(event)
    events.push(readable)
    whole.apply(readable)
  }
  const slice = slicer()
  let rest = ''
  const reader = (await unzipped(body)).pipeThrough(new TextDecoderStream()).getReader()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const lines = (rest + chunk.value).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      take(log.take(line))
      if (slice.isDue()) await slice.rest()
    }
  }
  take(log.takeLast(rest))
  return {
    whole,
    source: {
      eventsOf: async (iteration) => events.filter((event) => event.iteration === iteration),
    },
  }
}
