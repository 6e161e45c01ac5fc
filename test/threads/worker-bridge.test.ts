import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WorkerLostError } from '../../src/threads/errors.ts'
import { startThread } from '../../src/threads/node-threads.ts'
import { connectWorker, wholeBuffers, type Bridge } from '../../src/threads/worker-bridge.ts'
import type { EchoService } from './fixtures/echo.ts'

describe('a bridge to a worker thread', () => {
  let bridge: Bridge<EchoService>
  beforeEach(() => {
    bridge = connectWorker<EchoService>(startThread(new URL('./fixtures/echo.ts', import.meta.url)), 'echo')
  })
  afterEach(() => bridge.terminate())

  it('passes arguments and results', async () => {
    const { remote } = bridge
    expect(await Promise.all([remote.add(1, 2), remote.add(3, 4)])).toEqual([3, 7])
    expect(await remote.double(Float32Array.of(1, 2.5))).toEqual(Float32Array.of(2, 5))
  })

  it('does not transfer arguments', async () => {
    const bytes = new Uint8Array(16)
    expect(await bridge.remote.isDetached(bytes)).toBe(false)
    expect(bytes.byteLength).toBe(16)
  })

  it('calls functions back in the caller’s thread, in order', async () => {
    const counts: number[] = []
    await bridge.remote.countTo(5, (count) => counts.push(count))
    await expect.poll(() => counts).toEqual([1, 2, 3, 4, 5])
  })

  it('keeps the name, the message and the cause of an error', async () => {
    const error: unknown = await bridge.remote.fail().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'TableError', message: 'The table is too short.' })
    expect((error as Error).cause).toMatchObject({ name: 'RangeError', message: 'row 7 of 5' })
  })

  it('forwards an abort, and rejects with the caller’s reason', async () => {
    const controller = new AbortController()
    const waiting = bridge.remote.wait(controller.signal)
    const reason = new DOMException('Enough.', 'AbortError')
    setTimeout(() => controller.abort(reason), 20)
    await expect(waiting).rejects.toBe(reason)
    expect(await bridge.remote.add(1, 1)).toBe(2)
  })

  it('does not call if the signal is already aborted', async () => {
    await expect(bridge.remote.wait(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('reports a missing method by name', async () => {
    const { remote } = bridge as unknown as Bridge<{ fly(): void }>
    await expect(remote.fly()).rejects.toThrow('"fly"')
  })

  it.each([
    ['throws outside of a call', (remote: Bridge<EchoService>['remote']) => remote.crash(), 'The heap is full.'],
    ['exits', (remote: Bridge<EchoService>['remote']) => remote.exit(), 'exit code 3'],
  ])('rejects all pending calls when the worker %s', async (_, end, why) => {
    const { remote } = bridge
    await remote.add(0, 0)
    const pending = [remote.wait(), end(remote)]
    for (const settled of await Promise.allSettled(pending)) {
      const reason = settled.status === 'rejected' ? (settled.reason as Error) : null
      expect(reason).toBeInstanceOf(WorkerLostError)
      expect(reason?.message).toContain(why)
      expect(reason?.message).toContain('last checkpoint')
    }
    await expect(remote.add(1, 1)).rejects.toBeInstanceOf(WorkerLostError)
    expect((await bridge.lost).worker).toBe('echo')
  })

  it('rejects pending calls when terminated', async () => {
    const waiting = bridge.remote.wait()
    bridge.terminate()
    await expect(waiting).rejects.toBeInstanceOf(WorkerLostError)
  })
})

describe('the transferred buffers of a result', () => {
  it('are those that one view covers whole, each once', () => {
    const whole = new Float32Array(4)
    const part = new Uint8Array(8).subarray(2)
    expect(wholeBuffers([{ a: whole, b: part }, { a: whole }, null, 'text', new Int32Array(0)])).toEqual([whole.buffer])
  })
})
