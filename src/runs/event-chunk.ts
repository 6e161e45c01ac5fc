/**
 * A part of a kept run's log: its lines, deflated. An iteration of the household has about 1.5 MB of text, and a tenth of that
 * when packed.
 */
import { deflate, inflate } from '../storage/deflate.ts'
import type { LoggedEvent } from '../method/events.ts'
import { eventLine } from './run-log.ts'

export interface PackedChunk {
  runId: string
  /** `seq` of its first event. */
  firstSeq: number
  packed: Uint8Array<ArrayBuffer>
}

/** As earlier versions of the page stored it. */
export interface PlainChunk {
  runId: string
  firstSeq: number
  events: LoggedEvent[]
}

export type EventChunk = PackedChunk | PlainChunk

/** `events` must not be empty. Throws RangeError for a number that is not finite. */
export async function packChunk(runId: string, events: readonly LoggedEvent[]): Promise<PackedChunk> {
  const packed = await deflate(new TextEncoder().encode(events.map(eventLine).join('')))
  return { runId, firstSeq: events[0]!.seq, packed }
}

/** Throws for damaged data, a TypeError in browsers. */
export async function chunkEvents(chunk: EventChunk): Promise<LoggedEvent[]> {
  if ('events' in chunk) return chunk.events
  const lines = new TextDecoder().decode(await inflate(chunk.packed)).split('\n')
  lines.pop()
  return lines.map((line) => JSON.parse(line) as LoggedEvent)
}

/** Bytes that a chunk takes, about. */
export function chunkBytes(chunk: EventChunk): number {
  if ('packed' in chunk) return chunk.packed.length
  return chunk.events.reduce((total, event) => total + eventLine(event).length, 0)
}
