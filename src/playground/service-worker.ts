/**
 * Caches what ships with the page (build, models, recorded runs), so that it works offline after the first visit. The build
 * puts a list of all paths with the SHA-256 of their content before this file.
 *
 * Files are cached by hash, so an update fetches only what changed. A version serves only its own hashes and never takes over
 * pages of another version: it waits until all of them are closed, or until the only open page requests the update, as it
 * opens or when its visitor says so (offline.ts). So no page mixes two versions. Each deployment on an origin has a cache of its own.
 *
 * Everything that it serves has the headers of an isolated page, so that threads can share memory also on hosts that cannot send
 * headers, from the second visit on.
 */
export interface ShippedFile {
  /** SHA-256 of the content, hexadecimal. */
  hash: string
  /** Hash of what a packed file contains, because some servers unpack it. */
  unpackedHash?: string
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
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly { readonly url: string }[]>
  }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: LifeEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: AskedEvent) => void): void
  addEventListener(type: 'message', listener: (event: TakeOverEvent) => void): void
}

const scope = globalThis as unknown as Scope
/** Earlier versions shared this cache with every deployment on the origin. */
const SHARED_CACHE = 'rlanything-shipped'
const CACHE = `${SHARED_CACHE} ${new URL(scope.registration.scope).pathname}`
const KEYS = new URL('kept/', scope.registration.scope).href
const INDEX = 'index.html'
/** Others may still embed the page: the last header allows it. */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'credentialless',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}
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
function pathOf({ method, url, headers, mode }: Request): string | null {
  const { origin, pathname, search } = new URL(url)
  const root = new URL(scope.registration.scope)
  if (method !== 'GET' || headers.has('range')) return null
  // A link to the page may have a query, which the page reads; it is the same file.
  if (search !== '' && mode !== 'navigate') return null
  if (origin !== root.origin || !pathname.startsWith(root.pathname)) return null
  const path = decodeURIComponent(pathname.slice(root.pathname.length)) || INDEX
  return Object.hasOwn(scope.shipped, path) ? path : null
}

async function answer(path: string): Promise<Response> {
  const cache = await caches.open(CACHE)
  const { status, headers, body } = (await cache.match(keyOf(path))) ?? (await fetchAndTryToKeep(cache, path))
  const isolated = new Headers(headers)
  for (const [name, value] of Object.entries(ISOLATION)) isolated.set(name, value)
  return new Response(body, { status, headers: isolated })
}

/** If a file cannot be kept, removes those that were added before, so that nothing of a failed installation stays. */
async function keepAll(): Promise<void> {
  const cache = await caches.open(CACHE)
  const paths = Object.keys(scope.shipped).filter((path) => scope.shipped[path]!.bytes <= MOST_BYTES_AHEAD)
  const added: string[] = []
  let isFailed = false
  const next = async (): Promise<void> => {
    for (let path = paths.pop(); path !== undefined && !isFailed; path = paths.pop()) {
      if (await cache.match(keyOf(path))) continue
      const shared = await (await caches.open(SHARED_CACHE)).match(keyOf(path))
      added.push(path)
      await cache.put(keyOf(path), shared ?? (await fetchShipped(path)))
    }
  }
  const done = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () =>
      next().catch((error: unknown) => {
        isFailed = true
        throw error
      }),
    ),
  )
  const failure = done.find((each) => each.status === 'rejected')
  if (failure === undefined) return
  await Promise.all(added.map((path) => cache.delete(keyOf(path))))
  throw failure.reason
}

/** Answers also where the browser has no more room, and then keeps nothing. Throws as `fetchShipped`. */
async function fetchAndTryToKeep(cache: Cache, path: string): Promise<Response> {
  const response = await fetchShipped(path)
  await cache.put(keyOf(path), response.clone()).catch(() => undefined)
  return response
}

/** Throws TypeError without a network, and Error if the server has another version by now. */
async function fetchShipped(path: string): Promise<Response> {
  const response = await fetch(new URL(path, scope.registration.scope), { cache: 'no-cache' })
  const content = await response.arrayBuffer()
  if (!response.ok || !(await isAsShipped(path, content))) {
    throw new Error(
      `${path} belongs to another version of the page (${response.status}). A newer one will be installed.`,
    )
  }
  const { status, headers } = response
  return new Response(content, { status, headers })
}

/**
 * Some servers unpack packed files; the page reads both. Some insert scripts of their own into index.html: it belongs to this
 * version if every script and style that it loads from `assets` does.
 */
async function isAsShipped(path: string, content: ArrayBuffer): Promise<boolean> {
  const { hash, unpackedHash } = scope.shipped[path]!
  if ([hash, unpackedHash].includes(await sha256(content))) return true
  if (path !== INDEX) return false
  const assets = [...new TextDecoder().decode(content).matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)]
  return assets.length > 0 && assets.every(([, file]) => Object.hasOwn(scope.shipped, file!))
}

async function forgetOthers(): Promise<void> {
  const own = new Set(Object.keys(scope.shipped).map(keyOf))
  const cache = await caches.open(CACHE)
  for (const { url } of await cache.keys()) if (!own.has(url)) await cache.delete(url)
  // The cache that earlier versions shared keeps what belongs to other deployments.
  if (!(await caches.has(SHARED_CACHE))) return
  const shared = await caches.open(SHARED_CACHE)
  for (const { url } of await shared.keys()) if (url.startsWith(KEYS)) await shared.delete(url)
  if ((await shared.keys()).length === 0) await caches.delete(SHARED_CACHE)
}

/**
 * Takes over only if one page is open: others may still load parts of their version. A page that was just closed or
 * reloaded stays listed for a moment.
 */
async function takeOver(): Promise<void> {
  for (let look = 0; look < TAKE_OVER_LOOKS; look++) {
    // With those of other deployments and other projects on the origin.
    const windows = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
    if (windows.filter(({ url }) => url.startsWith(scope.registration.scope)).length === 1) return scope.skipWaiting()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** An address that no file has, as a key of the cache. */
function keyOf(path: string): string {
  return KEYS + scope.shipped[path]!.hash
}

async function sha256(content: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
