import { describe, expect, it } from 'vitest'
import { EventStreamError, readEvents } from '../../../src/cluster/client/event-stream.ts'

describe('a stream of server-sent events', () => {
  it('discards an incomplete last event, joins split characters, and cancels a body that is no longer read', async () => {
    const bytes = new TextEncoder().encode('event: run\nid: 7\ndata: λ α\n\n: heartbeat\n\nretry: soon\n\ndata: half')
    let isCancelled = false
    const body = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
          controller.close()
        },
        cancel() {
          isCancelled = true
        },
      })
    const read: unknown[] = []
    let heard = 0
    for await (const event of readEvents(body(), () => heard++)) read.push(event)
    expect(read).toEqual([{ event: 'run', id: '7', data: 'λ α' }])
    expect(heard).toBe(bytes.length)
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('data: x\n\n')),
      cancel() {
        isCancelled = true
      },
    })
    for await (const _ of readEvents(endless)) break
    expect(isCancelled).toBe(true)
  })

  it('rejects a stream that never ends an event', async () => {
    const megabyte = new TextEncoder().encode('x'.repeat(1e6))
    const endless = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(megabyte) })
    await expect(readEvents(endless).next()).rejects.toThrow(EventStreamError)
  })
})
