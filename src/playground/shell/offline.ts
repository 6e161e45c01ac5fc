/** The page's side of service-worker.ts: asks for it once everything else is loaded, and takes an update as it opens. */

/** How a browser tells that its person counts bytes; not everywhere. */
interface Connection {
  saveData?: boolean
}

export async function workOffline(): Promise<void> {
  // Not there in a private window of some browsers, or on an address without https.
  if (!('serviceWorker' in navigator)) return
  const { serviceWorker } = navigator
  const kept = await serviceWorker.getRegistration()
  if (kept?.waiting) {
    // Nothing has been done on this page yet, so it can be loaded anew, whole, in the version that waits.
    serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
    kept.waiting.postMessage('take-over')
  }
  const connection = (navigator as { connection?: Connection }).connection
  if (connection?.saveData && !kept) return
  if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve))
  // A browser that refuses only does not work offline.
  await serviceWorker.register('./service-worker.js').catch(() => undefined)
}
