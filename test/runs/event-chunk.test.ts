import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { chunkBytes, chunkEvents, packChunk } from '../../src/runs/event-chunk.ts'
import { parseRunLog, serialiseRunLog } from '../../src/runs/run-log.ts'

const recording = gunzipSync(readFileSync(join(import.meta.dirname, '../../public/runs/household.jsonl.gz'))).toString()
const events = parseRunLog(recording).slice(0, 400)

describe('a chunk of a kept run', () => {
  it('returns the events that were packed, in a fraction of their size', async () => {
    const chunk = await packChunk('a', events)
    expect(chunk).toMatchObject({ runId: 'a', firstSeq: events[0]!.seq })
    expect(await chunkEvents(chunk)).toEqual(events)
    expect(chunkBytes(chunk)).toBeLessThan(serialiseRunLog(events).length / 5)
  })

  it('is read as earlier versions of the page stored it', async () => {
    const plain = { runId: 'a', firstSeq: 0, events }
    expect(await chunkEvents(plain)).toBe(events)
    expect(chunkBytes(plain)).toBe(serialiseRunLog(events).length - serialiseRunLog([]).length)
  })

  it('is refused with a number that no log can hold', async () => {
    const finished = events.find(({ type }) => type === 'iteration-finished')!
    await expect(packChunk('a', [{ ...finished, seq: NaN }])).rejects.toThrow(/only finite numbers are logged/)
  })

  it('is refused when damaged', async () => {
    const chunk = await packChunk('a', events)
    await expect(chunkEvents({ ...chunk, packed: chunk.packed.slice(0, 100) })).rejects.toThrow()
  })
})
