import { describe, expect, it } from 'vitest'
import {
  DeviceWatch,
  GraphicsDeviceError,
  type WatchableDevice,
} from '../../../src/language-model/backends/device-watch.ts'

/** A device that fails on request. */
class FakeDevice implements WatchableDevice {
  refuse: (message: string) => void = () => {}
  lose: (reason: string, message: string) => void = () => {}
  readonly lost = new Promise<{ reason: string; message: string }>((resolve) => {
    this.lose = (reason, message) => resolve({ reason, message })
  })

  addEventListener(_type: 'uncapturederror', listener: (event: { error: { message: string } }) => void): void {
    this.refuse = (message) => listener({ error: { message } })
  }
}

const failureOf = (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error as Error)

describe('a watched graphics device', () => {
  it('does not change results as long as the device works', async () => {
    const watch = new DeviceWatch(new FakeDevice())
    expect(await watch.guard(async () => 7)).toBe(7)
    const own = new RangeError('top-p is 2')
    expect(await failureOf(watch.guard(() => Promise.reject(own)))).toBe(own)
    expect(await watch.guard(async () => 8)).toBe(8)
  })

  it('fails the call with the refused command and all later calls, with the first line of its message', async () => {
    const device = new FakeDevice()
    const watch = new DeviceWatch(device)
    const first = await failureOf(
      watch.guard(async () => device.refuse('Buffer size 9 exceeds the limit.\n - While encoding …')),
    )
    expect(first).toBeInstanceOf(GraphicsDeviceError)
    expect(first).toMatchObject({ message: expect.stringContaining('(Buffer size 9 exceeds the limit.)') as string })
    expect(first).toMatchObject({ message: expect.stringContaining('choose the CPU') as string })
    device.refuse('Another.')
    let isComputed = false
    expect(await failureOf(watch.guard(async () => (isComputed = true)))).toBe(first)
    expect(isComputed).toBe(false)
  })

  it('fails the next call if the device refuses a command between calls', async () => {
    const device = new FakeDevice()
    const watch = new DeviceWatch(device)
    await watch.guard(async () => 1)
    device.refuse('Out of memory.')
    expect(await failureOf(watch.guard(async () => 2))).toBeInstanceOf(GraphicsDeviceError)
  })

  it('reports the loss of the device instead of the errors that it caused', async () => {
    const device = new FakeDevice()
    const watch = new DeviceWatch(device)
    expect(watch.isLost).toBe(false)
    const reading = watch.guard(async () => {
      setTimeout(() => device.lose('unknown', 'The driver was restarted.'), 0)
      throw new DOMException('Buffer was destroyed.', 'AbortError')
    })
    const error = await failureOf(reading)
    expect(error).toMatchObject({
      name: 'GraphicsDeviceError',
      message: expect.stringContaining('was lost (unknown: The driver was restarted.)') as string,
    })
    expect(watch.isLost).toBe(true)
  })
})
