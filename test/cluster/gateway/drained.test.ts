import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { drained } from '../../../src/cluster/gateway/drained.ts'

it('waits for room or the end of a stream, and leaves no listeners', async () => {
  const stream = new PassThrough()
  const listeners = () => ['drain', 'close', 'error'].map((name) => stream.listenerCount(name))
  const before = listeners()
  for (const name of ['drain', 'drain', 'close']) {
    const waiting = drained(stream)
    stream.emit(name)
    await waiting
    expect(listeners()).toEqual(before)
  }
})
