import * as v from 'valibot'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
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
