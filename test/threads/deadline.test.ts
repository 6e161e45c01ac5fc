import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { deadlined } from '../../src/threads/deadline.ts'
import type { Bridge } from '../../src/threads/worker-bridge.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function bridgeOf(answer: () => Promise<string>) {
  const terminate = vi.fn()
  const remote = { ask: vi.fn(answer) }
  const bridge: Bridge<typeof remote> = { remote, lost: new Promise<never>(() => {}), terminate }
  return { terminate, bounded: deadlined(bridge, 1000, (method) => new Error(`late: ${method}`)) }
}

it('a worker that answers in time is left alone', async () => {
  const { terminate, bounded } = bridgeOf(() => Promise.resolve('yes'))
  expect(await bounded.remote.ask()).toBe('yes')
  await vi.advanceTimersByTimeAsync(5000)
  expect(terminate).not.toHaveBeenCalled()
})

it('a worker that does not answer in time is ended, and the call names the method', async () => {
  const { terminate, bounded } = bridgeOf(() => new Promise(() => {}))
  const asked = expect(bounded.remote.ask()).rejects.toThrow('late: ask')
  await vi.advanceTimersByTimeAsync(1000)
  await asked
  expect(terminate).toHaveBeenCalledOnce()
})
