/**
 * Opens what the browser keeps for this page, and what its tabs share. A browser can refuse each of them: in private windows, in
 * frames, where the visitor blocks site data, and, over plain http, by not offering it at all. Here each refusal becomes either
 * a typed error for display or an object that does nothing.
 */

/** The browser refuses storage to this page. The message is for display. */
export class StorageBlockedError extends Error {
  override readonly name = 'StorageBlockedError'
}

/** What this page uses of the browser, each possibly absent or throwing when read. */
export interface BrowserScope {
  BroadcastChannel?: typeof BroadcastChannel
  caches?: CacheStorage
  indexedDB?: IDBFactory
  localStorage?: Storage
  navigator?: { locks?: LockManager; storage?: StorageManager }
  isSecureContext?: boolean
}

export type TabChannel = Pick<BroadcastChannel, 'postMessage' | 'onmessage' | 'close'>

/** A channel between tabs; where the browser refuses one, a channel without listeners. */
export function openTabChannel(name: string, scope: BrowserScope = globalThis): TabChannel {
  try {
    if (scope.BroadcastChannel !== undefined) return new scope.BroadcastChannel(name)
  } catch {
    // Firefox throws where site data is blocked. Without storage, tabs have nothing to tell each other.
  }
  return { postMessage: () => {}, onmessage: null, close: () => {} }
}

/** Throws StorageBlockedError. `what` is the plural of what would be kept: "WebLLM models". */
export function openCaches(what: string, scope: BrowserScope = globalThis): CacheStorage {
  let found: CacheStorage | undefined
  let cause: unknown
  try {
    found = scope.caches
  } catch (error) {
    cause = error
  }
  if (found === undefined) throw new StorageBlockedError(refusal(what, scope), { cause })
  return found
}

/** The root of the origin-private file system. Throws StorageBlockedError. */
export async function openFileSystem(
  what: string,
  scope: BrowserScope = globalThis,
): Promise<FileSystemDirectoryHandle> {
  let cause: unknown
  try {
    const storage = scope.navigator?.storage
    if (typeof storage?.getDirectory === 'function') return await storage.getDirectory()
  } catch (error) {
    cause = error
  }
  throw new StorageBlockedError(refusal(what, scope), { cause })
}

/** Small texts; null where they are refused. */
export function openTexts(scope: BrowserScope = globalThis): Storage | null {
  try {
    return scope.localStorage ?? null
  } catch {
    return null
  }
}

/** Null over plain http and in old browsers. Requests may still reject, in a frame without an origin. */
export function openLocks(scope: BrowserScope = globalThis): LockManager | null {
  return scope.navigator?.locks ?? null
}

/** Whether the browser has promised not to evict this page's data; with `ask`, after asking for it. Never rejects. */
export async function isPersistent(ask: boolean, scope: BrowserScope = globalThis): Promise<boolean> {
  try {
    const storage = scope.navigator?.storage
    return (await (ask ? storage?.persist() : storage?.persisted())) ?? false
  } catch {
    return false
  }
}

/** Opens a database of no content; null if that works, else a sentence on what is not kept and why. */
export async function storageObstacle(scope: BrowserScope = globalThis): Promise<string | null> {
  try {
    if (scope.indexedDB === undefined) throw new Error('There is no IndexedDB.')
    await canOpen(scope.indexedDB)
    return null
  } catch {
    return (
      'This browser does not let this page store anything, so your runs, models and preferences are lost when you close ' +
      'this tab. Allow site data for this address, leave the private window, or open the page in a tab of its own; ' +
      'or download the log of each run.'
    )
  }
}

const PROBE = 'rlanything-probe'

function canOpen(databases: IDBFactory): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = databases.open(PROBE)
    request.onerror = () => reject(request.error ?? new Error('The database could not be opened.'))
    request.onsuccess = () => {
      request.result.close()
      databases.deleteDatabase(PROBE)
      resolve()
    }
  })
}

function refusal(what: string, { isSecureContext }: BrowserScope): string {
  return isSecureContext === false
    ? `Browsers keep ${what} only for pages served over https or from localhost, and this page is not. Open it at such an address.`
    : `The browser does not let this page keep ${what} (a private window, or storage is switched off). Allow site data for this address, or open the page in an ordinary window.`
}
