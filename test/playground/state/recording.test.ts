import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readRecording } from '../../../src/playground/state/recording.ts'
import { fakeRunLines } from '../fake-run.ts'

const text = fakeRunLines({ iterations: 2 })

/** In parts of some bytes. */
const streamed = (bytes: Uint8Array, part: number) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += part) controller.enqueue(bytes.subarray(at, at + part))
      controller.close()
    },
  })

describe('a run log from a server', () => {
  it.each([
    ['plain', Buffer.from(text), 4096],
    ['packed', gzipSync(text), 4096],
    ['packed, byte by byte', gzipSync(text), 1],
    ['packed twice', gzipSync(gzipSync(text)), 4096],
  ])('is read when it arrives %s', async (_, bytes, part) => {
    const { whole } = await readRecording(streamed(new Uint8Array(bytes), part))
    expect(whole.iterations).toHaveLength(2)
  })
})
