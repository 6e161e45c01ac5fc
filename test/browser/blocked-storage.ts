/** A browser that blocks what sites keep. */
import type { BrowserContext } from 'playwright-core'

/** Each door throws as Firefox and Chromium do where site data is blocked. */
export async function blockStorage(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    }
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
      Object.defineProperty(globalThis, name, { get: refuse })
    Object.defineProperty(globalThis, 'BroadcastChannel', {
      value: class {
        constructor() {
          refuse()
        }
      },
    })
    const reject = () => Promise.reject(new DOMException('Security error.', 'SecurityError'))
    Object.assign(navigator.storage, { getDirectory: reject, persisted: reject, persist: reject })
    navigator.serviceWorker.getRegistration = () => Promise.reject(new DOMException('Blocked.', 'SecurityError'))
  })
}
