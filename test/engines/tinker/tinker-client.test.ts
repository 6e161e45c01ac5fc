import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TinkerClient } from '../../../src/engines/tinker/tinker-client.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('sends heartbeats while its own queue is full', async () => {
  const asked: string[] = []
  const client = new TinkerClient({
    baseUrl: 'http://127.0.0.1:1',
    key: null,
    timeoutMs: 600_000,
    http: {
      concurrency: 1,
      fetch: async (input, init) => {
        const path = (input as string).split('/').at(-1)!
        asked.push(path)
        if (path === 'create_session') return Response.json({ session_id: 'one' })
        if (path === 'session_heartbeat') return Response.json({})
        // A sample that the server does not finish.
        return new Promise((_, reject) => {
          init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason as Error))
        })
      },
    },
  })
  await client.openSession()
  const samples = Promise.allSettled([1, 2].map(() => client.sample('asample', {}, v.unknown())))
  await vi.advanceTimersByTimeAsync(35_000)
  expect(asked).toEqual(['create_session', 'asample', ...Array<string>(3).fill('session_heartbeat')])
  client.close()
  await samples
})

describe('the time limit', () => {
  /** A server that finishes one operation every 300 ms, or none after `most`. */
  function queueingServer(most = Infinity): typeof fetch {
    const due: number[] = []
    return async (input, init) => {
      if ((input as string).endsWith('asample')) {
        due.push(Math.max(performance.now(), due.at(-1) ?? 0) + 300)
        return Response.json({ request_id: String(due.length - 1) })
      }
      const { request_id: id } = JSON.parse(init!.body as string) as { request_id: string }
      const isDone = Number(id) < most && performance.now() >= due[Number(id)]!
      return Response.json(isDone ? { done: id } : { type: 'try_again' })
    }
  }
  const clientOf = (fetch: typeof globalThis.fetch) =>
    new TinkerClient({ baseUrl: 'http://127.0.0.1:1', key: null, timeoutMs: 1500, http: { fetch } })
  const sample = (client: TinkerClient) => client.sample('asample', {}, v.unknown())

  it('allows any wait in the queue of a server that continues to work, also for another model', async () => {
    const fetch = queueingServer()
    const [policy, reward] = [clientOf(fetch), clientOf(fetch)]
    const answers = Promise.all([...Array.from({ length: 12 }, () => sample(policy)), sample(reward)])
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await answers).map(({ output }) => output)).toEqual(
      Array.from({ length: 13 }, (_, index) => ({ done: String(index) })),
    )
  })

  it('ends the wait for a server that has finished nothing in that time', async () => {
    const client = clientOf(queueingServer(8))
    const settled = Promise.allSettled(Array.from({ length: 9 }, () => sample(client)))
    const endedAt = settled.then(() => performance.now())
    const began = performance.now()
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await settled).at(-1)).toMatchObject({
      status: 'rejected',
      reason: {
        kind: 'timeout',
        message: expect.stringMatching(/finished nothing for 2 s, and asample is pending/) as string,
      },
    })
    // The eighth is finished after 2.4 s, and futures are polled every 0.5 s.
    expect((await endedAt) - began).toBeGreaterThanOrEqual(3900)
    expect((await endedAt) - began).toBeLessThan(5000)
  })
})
