/** Registers service-worker.ts once everything else is loaded, and applies a waiting update when the page opens. */

/** Reports whether to save data; not in every browser. */
interface Connection {
  saveData?: boolean
}

export async function workOffline(): Promise<void> {
  // Missing in private windows of some browsers and on addresses without https.
  if (!('serviceWorker' in navigator)) return
  const { serviceWorker } = navigator
  let kept: ServiceWorkerRegistration | undefined
  try {
    kept = await serviceWorker.getRegistration()
  } catch {
    // Refused where site data is blocked. The page then works online only.
    return
  }
  if (kept?.waiting) {
    // Nothing has happened on this page yet, so it can reload in the new version.
    serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
    kept.waiting.postMessage('take-over')
  }
  const connection = (navigator as { connection?: Connection }).connection
  if (connection?.saveData && !kept) return
  if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve))
  // Without it, the page works online only.
  await serviceWorker.register('./service-worker.js').catch(() => undefined)
}
