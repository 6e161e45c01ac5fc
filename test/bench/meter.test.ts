import * as tf from '@tensorflow/tfjs-core'
import { afterAll, expect, test } from 'vitest'
import { peakBytes } from '../../src/bench/meter.ts'

/** A graphics device of which only the memory is simulated. */
class Device extends tf.KernelBackend {
  used = 100
  readonly bufferManager = {
    acquireBuffer: (size: number) => (this.used += size),
    releaseBuffer: (size: number) => (this.used -= size),
  }
  override memory() {
    return { unreliable: false, numBytesInGPU: this.used }
  }
  override dispose() {}
}

afterAll(() => tf.removeBackend('metered'))

test('the peak on a graphics device counts every buffer, also of programs that bind what was bound before', async () => {
  const device = new Device()
  tf.registerBackend('metered', () => device)
  await tf.setBackend('metered')
  const { bufferManager } = device
  const bytes = await peakBytes(async () => {
    bufferManager.acquireBuffer(30)
    bufferManager.acquireBuffer(50)
    bufferManager.releaseBuffer(30)
    bufferManager.acquireBuffer(10)
    bufferManager.releaseBuffer(60)
  })
  expect(bytes).toBe(80)
})
