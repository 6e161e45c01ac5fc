/**
 * Caches what ships with the page (build, models, recorded runs), so that it works offline after the first visit. The build
 * puts a list of all paths with the SHA-256 of their content before this file.
 *
 * Files are cached by hash, so an update fetches only what changed. A version serves only its own hashes and never takes over
 * pages of another version: it waits until all of them are closed, or until the only open page requests the update as it
 * opens (offline.ts). So no page mixes two versions.
 */
export interface ShippedFile {
  /** SHA-256 of the content, hexadecimal. */
  hash: string
  bytes: number
}

interface LifeEvent extends Event {
  waitUntil(done: Promise<unknown>): void
}
interface AskedEvent extends LifeEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}
interface TakeOverEvent extends LifeEvent {
  readonly data: unknown
}
interface Scope {
  readonly shipped: Readonly<Record<string, ShippedFile>>
  readonly registration: { readonly scope: string }
  readonly clients: { matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly unknown[]> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: LifeEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: AskedEvent) => void): void
  addEventListener(type: 'message', listener: (event: TakeOverEvent) => void): void
}

const scope = globalThis as unknown as Scope
const CACHE = 'rlanything-shipped'
/** Larger files are cached on first use: engines for models that have to be downloaded anyway. */
const MOST_BYTES_AHEAD = 4_000_000
const AT_ONCE = 4
/** A second: later, something may have been done on the page that asks. */
const TAKE_OVER_LOOKS = 10

scope.addEventListener('install', (event) => event.waitUntil(keepAll()))
scope.addEventListener('activate', (event) => event.waitUntil(forgetOthers()))
scope.addEventListener('message', (event) => {
  if (event.data === 'take-over') event.waitUntil(takeOver())
})
scope.addEventListener('fetch', (event) => {
  const path = pathOf(event.request)
  if (path !== null) event.respondWith(answer(path))
})

/** The shipped file of a request; null leaves it to the network. */
function pathOf({ method, url, headers }: Request): string | null {
  const { origin, pathname, search } = new URL(url)
  const root = new URL(scope.registration.scope)
  if (method !== 'GET' || headers.has('range') || search !== '') return null
  if (origin !== root.origin || !pathname.startsWith(root.pathname)) return null
  const path = decodeURIComponent(pathname.slice(root.pathname.length)) || 'index.html'
  return Object.hasOwn(scope.shipped, path) ? path : null
}

async function answer(path: string): Promise<Response> {
  const cache = await caches.open(CACHE)
  return (await cache.match(keyOf(path))) ?? (await fetchAndKeep(cache, path))
}

async function keepAll(): Promise<void> {
  const cache = await caches.open(CACHE)
  const paths = Object.keys(scope.shipped).filter((path) => scope.shipped[path]!.bytes <= MOST_BYTES_AHEAD)
  const next = async (): Promise<void> => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      if (!(await cache.match(keyOf(path)))) await fetchAndKeep(cache, path)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}

/** Throws TypeError without a network, and Error if the server has another version by now. */
async function fetchAndKeep(cache: Cache, path: string): Promise<Response> {
  const response = await fetch(new URL(path, scope.registration.scope), { cache: 'no-cache' })
  const content = await response.arrayBuffer()
  // Some servers unpack packed files; the page reads both.
  const isAsShipped = path.endsWith('.gz') || (await sha256(content)) === scope.shipped[path]!.hash
  if (!response.ok || !isAsShipped) {
    throw new Error(
      `${path} belongs to another version of the page (${response.status}). A newer one will be installed.`,
    )
  }
  const { status, headers } = response
  await cache.put(keyOf(path), new Response(content.slice(0), { status, headers }))
  return new Response(content, { status, headers })
}

async function forgetOthers(): Promise<void> {
  const cache = await caches.open(CACHE)
  const own = new Set(Object.keys(scope.shipped).map(keyOf))
  for (const request of await cache.keys()) if (!own.has(request.url)) await cache.delete(request)
}

/**
 * Takes over only if one page is open: others may still load parts of their version. A page that was just closed or
 * reloaded stays listed for a moment.
 */
async function takeOver(): Promise<void> {
  for (let look = 0; look < TAKE_OVER_LOOKS; look++) {
    const pages = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
    if (pages.length === 1) return scope.skipWaiting()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** An address that no file has, as a key of the cache. */
function keyOf(path: string): string {
  return new URL(`kept/${scope.shipped[path]!.hash}`, scope.registration.scope).href
}

async function sha256(content: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
