import { describe, expect, it } from 'vitest'
import {
  isPersistent,
  openCaches,
  openFileSystem,
  openLocks,
  openTabChannel,
  openTexts,
  storageObstacle,
  StorageBlockedError,
  type BrowserScope,
} from '../../src/storage/browser-storage.ts'

/** Throws at each door, as browsers do where site data is blocked. */
const refuse = (): never => {
  throw new DOMException('The operation is insecure.', 'SecurityError')
}
class RefusedChannel {
  constructor() {
    refuse()
  }
}
const blocked = {
  BroadcastChannel: RefusedChannel,
  get caches() {
    return refuse()
  },
  get indexedDB() {
    return refuse()
  },
  get localStorage() {
    return refuse()
  },
  navigator: { storage: { getDirectory: refuse, persist: refuse, persisted: refuse } },
  isSecureContext: true,
} as unknown as BrowserScope

describe.each([
  ['blocks site data', blocked, 'Allow site data for this address'],
  ['offers little, as over plain http', { isSecureContext: false }, 'served over https or from localhost'],
] as const)('a browser that %s', (_, scope, remedy) => {
  it('gives channels, texts and locks that do nothing', async () => {
    const channel = openTabChannel('runs', scope)
    channel.onmessage = () => {}
    channel.postMessage(null)
    channel.close()
    expect(openTexts(scope)).toBeNull()
    expect(openLocks(scope)).toBeNull()
    expect(await isPersistent(true, scope)).toBe(false)
  })

  it('makes typed errors for caches and files, which say what is not kept and what to do', async () => {
    expect(() => openCaches('WebLLM models', scope)).toThrow(StorageBlockedError)
    expect(() => openCaches('WebLLM models', scope)).toThrow(/WebLLM models/)
    expect(() => openCaches('WebLLM models', scope)).toThrow(remedy)
    await expect(openFileSystem('model folders', scope)).rejects.toThrow(StorageBlockedError)
    await expect(openFileSystem('model folders', scope)).rejects.toThrow(remedy)
  })

  it('is reported to the visitor', async () => {
    expect(await storageObstacle(scope)).toMatch(/does not let this page store anything/)
  })
})
