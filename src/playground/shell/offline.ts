/**
 * Registers service-worker.ts once everything else is loaded, applies a waiting update when the page opens, and offers one that
 * arrives later.
 */

/** Reports whether to save data; not in every browser. */
interface Connection {
  saveData?: boolean
}

/** Reloads the page in the version that waits. Returns if it still waits, for other pages that use the old one. */
export type LoadVersion = () => Promise<void>

/** The service worker looks for a second whether other pages are open. */
const TAKE_OVER_MS = 2000

export async function workOffline(onversion: (load: LoadVersion) => void): Promise<void> {
  // Missing in private windows of some browsers and on addresses without https.
  if (!('serviceWorker' in navigator)) return
  const { serviceWorker } = navigator
  const takeOver = (worker: ServiceWorker): void => {
    serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
    worker.postMessage('take-over')
  }
  let kept: ServiceWorkerRegistration | undefined
  try {
    kept = await serviceWorker.getRegistration()
  } catch {
    // Refused where site data is blocked. The page then works online only.
    return
  }
  // Nothing has happened on this page yet, so it can reload in the new version.
  const waiting = kept?.waiting ?? null
  if (waiting) takeOver(waiting)
  const connection = (navigator as { connection?: Connection }).connection
  if (connection?.saveData && !kept) return
  if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve))
  // Without it, the page works online only.
  const registration = await serviceWorker.register('./service-worker.js').catch(() => null)
  if (!registration) return
  const offer = (worker: ServiceWorker): void =>
    onversion(async () => {
      takeOver(worker)
      await new Promise((resolve) => setTimeout(resolve, TAKE_OVER_MS))
    })
  const follow = (worker: ServiceWorker | null): void =>
    worker?.addEventListener('statechange', () => {
      // The first version has no page to replace.
      if (worker.state === 'installed' && serviceWorker.controller !== null) offer(worker)
    })
  if (registration.waiting && registration.waiting !== waiting) offer(registration.waiting)
  follow(registration.installing)
  registration.addEventListener('updatefound', () => follow(registration.installing))
}
