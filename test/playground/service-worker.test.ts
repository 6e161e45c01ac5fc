/** The service worker in a stand-in for its global scope. The same in browsers is in test/browser/offline.slow.test.ts. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, it, vi } from 'vitest'
import type { ShippedFile } from '../../src/playground/service-worker.ts'

const SCOPE = 'https://host.example/course/'
const LOG = '{"format":"rlanything-run"}\n'
const packed = gzipSync(LOG)
const hashOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')
const shipped: Record<string, ShippedFile> = {
  'run.jsonl.gz': { hash: hashOf(packed), unpackedHash: hashOf(LOG), bytes: packed.length },
}

/** What a server answers for every file. */
let served: string | Uint8Array<ArrayBuffer>
let windows: { url: string }[]
let cached: Map<string, Response>
const skipWaiting = vi.fn()
const listeners = new Map<string, (event: object) => void>()

/** Resolves once all is done that the event waits for. */
async function dispatch(type: string, event: object = {}): Promise<void> {
  let done: Promise<unknown> | undefined
  listeners.get(type)!({ ...event, waitUntil: (promise: Promise<unknown>) => (done = promise) })
  await done
}

beforeEach(async () => {
  cached = new Map()
  windows = []
  skipWaiting.mockClear()
  const cache = {
    match: (key: string) => Promise.resolve(cached.get(key)),
    put: (key: string, response: Response) => Promise.resolve(cached.set(key, response)),
    delete: (key: string) => Promise.resolve(cached.delete(key)),
  }
  const empty = { match: () => Promise.resolve(undefined) }
  const open = (name: string) => Promise.resolve(name.endsWith('/course/') ? cache : empty)
  vi.stubGlobal('shipped', shipped)
  vi.stubGlobal('registration', { scope: SCOPE })
  vi.stubGlobal('clients', { matchAll: () => Promise.resolve(windows) })
  vi.stubGlobal('skipWaiting', skipWaiting)
  vi.stubGlobal('caches', { open })
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(served)))
  vi.stubGlobal('addEventListener', (type: string, listener: (event: object) => void) => listeners.set(type, listener))
  vi.resetModules()
  await import('../../src/playground/service-worker.ts')
})

it.each([
  ['as it is', packed],
  ['unpacked', LOG],
])('keeps a packed file that the server sends %s', async (_, content) => {
  served = content
  await dispatch('install')
  const [response] = cached.values()
  expect(Buffer.from(await response!.arrayBuffer())).toEqual(Buffer.from(content))
})

it('keeps no other content under the name of a packed file', async () => {
  served = '<!doctype html><title>Not found</title>'
  await expect(dispatch('install')).rejects.toThrow('run.jsonl.gz belongs to another version of the page (200)')
  expect(cached.size).toBe(0)
})

it('takes over from the only page of this deployment, whatever else of the host is open', async () => {
  windows = [`${SCOPE}#loop`, 'https://host.example/', 'https://host.example/other/'].map((url) => ({ url }))
  await dispatch('message', { data: 'take-over' })
  expect(skipWaiting).toHaveBeenCalledOnce()
})

it('waits while another page of this deployment is open', async () => {
  vi.useFakeTimers()
  windows = [`${SCOPE}#loop`, `${SCOPE}?embed`].map((url) => ({ url }))
  const done = dispatch('message', { data: 'take-over' })
  await vi.runAllTimersAsync()
  await done
  vi.useRealTimers()
  expect(skipWaiting).not.toHaveBeenCalled()
})
