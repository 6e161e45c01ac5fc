/** The screen wake lock, with a stand-in for the browser's. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WakeLock } from '../../../src/playground/shell/wake-lock.ts'

class Sentinel {
  released = false
  async release(): Promise<void> {
    this.released = true
  }
}

let page: EventTarget & { visibilityState: 'visible' | 'hidden' }
let given: Sentinel[]
const held = () => given.filter(({ released }) => !released).length
const request = vi.fn<() => Promise<Sentinel>>()
const settle = () => new Promise((resolve) => setTimeout(resolve, 0))

beforeEach(() => {
  given = []
  page = Object.assign(new EventTarget(), { visibilityState: 'visible' as const })
  request.mockReset().mockImplementation(async () => {
    const sentinel = new Sentinel()
    given.push(sentinel)
    return sentinel
  })
  vi.stubGlobal('document', page)
  vi.stubGlobal('navigator', { wakeLock: { request } })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

async function turn(visibilityState: 'visible' | 'hidden'): Promise<void> {
  page.visibilityState = visibilityState
  // Browsers release the lock of a hidden page.
  if (visibilityState === 'hidden') for (const sentinel of given) sentinel.released = true
  page.dispatchEvent(new Event('visibilitychange'))
  await settle()
}

describe('the wake lock', () => {
  it('is held while a run is busy and released afterwards', async () => {
    const lock = new WakeLock()
    await settle()
    expect(request).not.toHaveBeenCalled()
    lock.want(true)
    await settle()
    expect(request).toHaveBeenCalledWith('screen')
    expect(held()).toBe(1)
    lock.want(false)
    await settle()
    expect(held()).toBe(0)
  })

  it('is requested again when the page is visible again and still wants it', async () => {
    const lock = new WakeLock()
    lock.want(true)
    await settle()
    await turn('hidden')
    expect(held()).toBe(0)
    await turn('visible')
    expect(held()).toBe(1)
    await turn('hidden')
    lock.want(false)
    await turn('visible')
    expect(held()).toBe(0)
  })

  it('is requested once, however often it is wanted', async () => {
    const lock = new WakeLock()
    lock.want(true)
    lock.want(true)
    await settle()
    lock.want(true)
    await settle()
    expect(held()).toBe(1)
    lock.want(false)
    await settle()
    expect(held()).toBe(0)
  })

  it('is released if it comes too late', async () => {
    const lock = new WakeLock()
    lock.want(true)
    lock.want(false)
    await settle()
    expect(held()).toBe(0)
  })

  it('may be refused or missing; the run continues', async () => {
    request.mockRejectedValue(new DOMException('The battery is low.', 'NotAllowedError'))
    const lock = new WakeLock()
    lock.want(true)
    await settle()
    vi.stubGlobal('navigator', {})
    lock.want(true)
    await settle()
    lock.want(false)
    await settle()
    expect(held()).toBe(0)
  })
})
