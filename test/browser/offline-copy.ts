/** Waits for the service worker's copy of the page. A copy that fails ends the wait with a sentence: it would never be ready. */
import type { Page } from 'playwright-core'

/** Until the first version is kept. Throws if its installation fails. */
export const keptOffline = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    // The page registers it too; another call gives the same registration, and installs again what has failed.
    const registration = await navigator.serviceWorker.register('./service-worker.js')
    const worker = registration.installing ?? registration.waiting ?? registration.active!
    while (worker.state !== 'activated') {
      if (worker.state === 'redundant') throw new Error('The service worker could not keep the page: it was discarded.')
      await new Promise((resolve) => worker.addEventListener('statechange', resolve, { once: true }))
    }
    await navigator.serviceWorker.ready
  })

/** Until the next version is kept and waits. Throws if the server has no other version, or its installation fails. */
export const nextVersionKept = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const registration = await (await navigator.serviceWorker.getRegistration())!.update()
    const worker = registration.installing ?? registration.waiting
    if (worker === null) throw new Error("The server's service worker is the one that the page already has.")
    while (worker.state !== 'installed') {
      if (worker.state !== 'installing') throw new Error(`The new version does not wait: it is ${worker.state}.`)
      await new Promise((resolve) => worker.addEventListener('statechange', resolve, { once: true }))
    }
  })
