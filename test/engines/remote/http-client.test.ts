import fc from 'fast-check'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkedAddress } from '../../../src/engines/remote/address.ts'
import { backoffMs, retryAfterMs } from '../../../src/engines/remote/backoff.ts'
import { HttpClient, PATIENCE_MS, type HttpClientOptions } from '../../../src/engines/remote/http-client.ts'
import type { RemoteError } from '../../../src/engines/remote/remote-error.ts'
import { standInServer, type Answer, type Asked, type StandInServer } from './stand-in-server.ts'

const Value = v.object({ value: v.number() })
const open: (StandInServer | HttpClient)[] = []

afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function serverAnd(
  answer: (asked: Asked, index: number) => Answer | Promise<Answer>,
  options: Partial<HttpClientOptions> = {},
) {
  const server = await standInServer(answer)
  const client = new HttpClient({
    baseUrl: server.url,
    concurrency: 4,
    timeoutMs: 20_000,
    patienceMs: 20_000,
    backoff: { baseMs: 5, capMs: 20 },
    ...options,
  })
  open.push(client, server)
  return { server, client }
}

const failure = (job: Promise<unknown>) =>
  job.then(
    () => {
      throw new Error('nothing was thrown')
    },
    (error: unknown) => error as RemoteError,
  )

describe('requests that fail temporarily', () => {
  const passing: [string, Answer][] = [
    ['a connection that breaks', { breaks: 'before' }],
    ['a connection that breaks in the middle of an answer', { breaks: 'midway' }],
    ['500', { status: 500, json: { detail: 'oops' } }],
    ['503', { status: 503, text: 'starting' }],
    ['429', { status: 429, json: { error: { message: 'slow down' } } }],
  ]
  it.each(passing)('are retried: %s', async (_name, fault) => {
    const { server, client } = await serverAnd((_asked, index) => (index < 2 ? fault : { json: { value: 7 } }))
    expect(await client.json({ path: '/v', body: { a: 1 }, schema: Value })).toEqual({ value: 7 })
    expect(server.asked.map(({ body }) => body)).toEqual([{ a: 1 }, { a: 1 }, { a: 1 }])
  })

  it('are not retried if the server may have acted on them', async () => {
    for (const fault of [{ breaks: 'before' }, { breaks: 'midway' }] as const) {
      const { server, client } = await serverAnd(() => fault)
      const error = await failure(client.json({ path: '/step', body: {}, schema: Value, once: true }))
      expect(error.kind).toBe('unknown-outcome')
      expect(error.message).toMatch(/unknown whether.*Resume from the last iteration/)
      expect(server.asked).toHaveLength(1)
    }
    const { server, client } = await serverAnd(() => ({ status: 500, json: {} }))
    expect((await failure(client.json({ path: '/step', body: {}, schema: Value, once: true }))).kind).toBe('failed')
    expect(server.asked).toHaveLength(1)
  })

  it('are retried even with `once` if the server refused or was unreachable', async () => {
    const { server, client } = await serverAnd((_asked, index) =>
      index === 0 ? { status: 429, json: {} } : { json: { value: 1 } },
    )
    await client.json({ path: '/step', body: {}, schema: Value, once: true })
    expect(server.asked).toHaveLength(2)

    const port = Number(new URL(server.url).port)
    await server.close()
    const answered = client.json({ path: '/step', body: {}, schema: Value, once: true })
    await new Promise((resolve) => setTimeout(resolve, 60))
    const restarted = await standInServer(() => ({ json: { value: 2 } }), port)
    open.push(restarted)
    expect(await answered).toEqual({ value: 2 })
    expect(restarted.asked).toHaveLength(1)
  })

  it('give up on repeated 429 with a clear error, after respecting Retry-After', async () => {
    const { server, client } = await serverAnd(
      () => ({ status: 429, json: { error: { message: 'quota' } }, headers: { 'retry-after': '1' } }),
      { patienceMs: 2500 },
    )
    const error = await failure(client.json({ path: '/v', schema: Value }))
    expect(error).toMatchObject({ name: 'RemoteError', kind: 'rate-limited', status: 429, detail: 'quota' })
    expect(error.message).toMatch(/too many.*quota.*Lower the number of concurrent requests/)
    expect(server.asked.length).toBeGreaterThanOrEqual(2)
    expect(server.asked.length).toBeLessThanOrEqual(3)
  })
})

describe('patience', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A server that takes `tookMs` for each answer. `statuses` are its answers to `/watched`; everything else succeeds. */
  function slowServer(tookMs: number, statuses: readonly number[]) {
    const left = [...statuses]
    const client = new HttpClient({
      baseUrl: 'http://127.0.0.1:1',
      concurrency: 1,
      timeoutMs: 1_000_000,
      fetch: async (input) => {
        await new Promise((resolve) => setTimeout(resolve, tookMs))
        const status = (input as string).endsWith('/watched') ? (left.shift() ?? 200) : 200
        return new Response('{"value":1}', { status })
      },
    })
    open.push(client)
    const ask = (path: string) => client.json({ path, schema: Value })
    return { ask, left }
  }
  const LONG_MS = 2 * PATIENCE_MS

  it('does not include time before the first failure, in the queue or in the request', async () => {
    const { ask } = slowServer(LONG_MS, [503])
    const first = ask('/other')
    const watched = ask('/watched')
    await vi.advanceTimersByTimeAsync(4 * LONG_MS)
    expect(await first).toEqual({ value: 1 })
    expect(await watched).toEqual({ value: 1 })
  })

  it('does not include time in the queue between two attempts', async () => {
    const { ask } = slowServer(PATIENCE_MS / 4, [503, 503])
    const watched = ask('/watched')
    // Six requests fit between the first two attempts and take longer than the patience.
    const others = Array.from({ length: 6 }, () => ask('/other'))
    await vi.advanceTimersByTimeAsync(3 * LONG_MS)
    expect(await Promise.all([watched, ...others])).toHaveLength(7)
  })

  it('ends if the server continues to fail', async () => {
    const { ask, left } = slowServer(PATIENCE_MS / 4, Array<number>(100).fill(503))
    const watched = failure(ask('/watched'))
    await vi.advanceTimersByTimeAsync(3 * LONG_MS)
    expect((await watched).status).toBe(503)
    expect(100 - left.length).toBeLessThanOrEqual(5)
  })
})

describe('requests that fail permanently', () => {
  const final: [string, Answer, string, RegExp][] = [
    ['a wrong key', { status: 401, json: { error: 'Unauthorized' } }, 'unauthorised', /key.*401: Unauthorized/],
    [
      'a model that is not there',
      { status: 404, json: { error: { message: 'no model x' } } },
      'not-found',
      /no model x/,
    ],
    ['a request refused', { status: 400, json: { detail: [{ msg: 'bad' }] } }, 'refused', /400.*bad/],
    ['a page in place of JSON', { text: '<html>hello' }, 'malformed', /not JSON.*<html>hello/],
    ['JSON of another shape', { json: { value: 'x' } }, 'malformed', /value: /],
  ]
  it.each(final)('are not retried: %s', async (_name, answer, kind, words) => {
    const { server, client } = await serverAnd(() => answer, { headers: { Authorization: 'Bearer secret-key' } })
    const error = await failure(client.json({ path: '/v', schema: Value }))
    expect(error.kind).toBe(kind)
    expect(error.message).toMatch(words)
    expect(error.message).not.toContain('secret-key')
    expect(server.asked).toHaveLength(1)
    expect(server.asked[0]!.headers.authorization).toBe('Bearer secret-key')
  })

  it('report that no server listens', async () => {
    const { server, client } = await serverAnd(() => ({ json: {} }), { patienceMs: 30 })
    await server.close()
    const error = await failure(client.json({ path: '/v', schema: Value }))
    expect(error.kind).toBe('unreachable')
    expect(error.message).toMatch(/did not answer.*No server listens at that address/)
  })

  it('are retried after their time limit until patience runs out', async () => {
    const { server, client } = await serverAnd(() => ({ hangs: true }), { timeoutMs: 500, patienceMs: 2500 })
    const error = await failure(client.json({ path: '/v', schema: Value }))
    expect(error.kind).toBe('timeout')
    expect(server.asked.length).toBeGreaterThan(1)
  })
})

describe('cancelling', () => {
  it('ends running, queued and retrying requests', async () => {
    const { server, client } = await serverAnd(
      ({ path }) => (path === '/busy' ? { status: 503, json: {} } : { hangs: true }),
      { concurrency: 1, backoff: { baseMs: 10_000, capMs: 10_000 }, random: () => 0.5, patienceMs: 60_000 },
    )
    const stop = new AbortController()
    const busy = client.json({ path: '/busy', schema: Value, signal: stop.signal })
    await expect.poll(() => server.asked.length).toBe(1)
    const underWay = client.json({ path: '/hang', schema: Value, signal: stop.signal })
    await expect.poll(() => server.asked.length).toBe(2)
    const waiting = client.json({ path: '/next', schema: Value, signal: stop.signal })
    const reason = new DOMException('stopped', 'AbortError')
    stop.abort(reason)
    for (const job of [busy, underWay, waiting]) await expect(job).rejects.toBe(reason)
    expect(server.asked.map(({ path }) => path)).toEqual(['/busy', '/hang'])
  })

  it('frees its place in the queue', async () => {
    const { client } = await serverAnd(({ path }) => (path === '/hang' ? { hangs: true } : { json: { value: 1 } }), {
      concurrency: 1,
    })
    const stop = new AbortController()
    const hanging = client.json({ path: '/hang', schema: Value, signal: stop.signal })
    const next = client.json({ path: '/next', schema: Value })
    stop.abort()
    await expect(hanging).rejects.toThrow()
    expect(await next).toEqual({ value: 1 })
  })
})

it('never exceeds the limit of concurrent requests', async () => {
  const { server, client } = await serverAnd(() => ({ json: { value: 1 }, delayMs: 100 }), { concurrency: 3 })
  await Promise.all(Array.from({ length: 12 }, () => client.json({ path: '/v', schema: Value })))
  expect(server.asked).toHaveLength(12)
  expect(server.mostAtOnce).toBe(3)
})

describe('waiting', () => {
  it('doubles up to a limit, and jitter never prolongs it', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, uniform) => {
        const most = backoffMs(attempt, { baseMs: 100, capMs: 5000 }, 1)
        expect(most).toBe(Math.min(5000, 100 * 2 ** attempt))
        expect(backoffMs(attempt, { baseMs: 100, capMs: 5000 }, uniform)).toBeLessThanOrEqual(most)
      }),
    )
  })

  it('reads Retry-After as seconds or a date, up to a limit', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    expect(retryAfterMs('3', now)).toBe(3000)
    expect(retryAfterMs('Thu, 01 Jan 2026 00:00:05 GMT', now)).toBe(5000)
    expect(retryAfterMs('3600', now)).toBe(60_000)
    for (const nothing of [null, '', 'soon', '-4']) expect(retryAfterMs(nothing, now)).toBe(0)
  })
})

describe('addresses', () => {
  it('of http servers on other machines are refused on an https page', () => {
    expect(() => checkedAddress('http://10.0.0.2:8000/v1', 'https:')).toThrow(/https.*ssh -L/)
    expect(checkedAddress('http://127.0.0.1:8000/v1/', 'https:')).toBe('http://127.0.0.1:8000/v1')
    expect(checkedAddress('https://models.example/v1', 'https:')).toBe('https://models.example/v1')
    expect(checkedAddress('http://10.0.0.2:8000/v1', null)).toBe('http://10.0.0.2:8000/v1')
  })

  it('must be complete and without password', () => {
    expect(() => checkedAddress('https://me:secret@host/v1', null)).toThrow(/name or password/)
    expect(() => checkedAddress('https://me:secret@host/v1', null)).not.toThrow(/secret/)
    for (const wrong of ['localhost:8000', 'v1', 'ftp://host/'])
      expect(() => checkedAddress(wrong, null)).toThrow(/http:\/\//)
  })
})
