/** The peak speed of this machine, as our own matrix product reaches it. */
import * as tf from '@tensorflow/tfjs-core'
import type { Contender } from './side-by-side.ts'
import type { StartedBackend } from './subjects.ts'

/** Side of the matrices: large enough that copying into panels and the edges of blocks no longer matter. */
export const PEAK_SIZE = 1024

export interface PeakContender extends Contender {
  /** Floating-point operations of one repetition. */
  work: number
  dispose(): void
}

/** Products of two square matrices on the backend's device, enough of them for a clock to measure. */
export async function matmulPeak(
  backend: StartedBackend,
  { size = PEAK_SIZE, products = 4 }: { size?: number; products?: number } = {},
): Promise<PeakContender> {
  await backend.use()
  const operands = [tf.randomUniform([size, size], -1, 1), tf.randomUniform([size, size], -1, 1)] as const
  return {
    subject: `matmul ${size}³`,
    work: products * 2 * size ** 3,
    async run() {
      await backend.use()
      for (let i = 0; i < products - 1; i++) tf.matMul(...operands).dispose()
      // Reading the last one waits for all, also on a graphics device.
      const corner = tf.tidy(() => tf.slice(tf.matMul(...operands), [0, 0], [1, 1]))
      await corner.data()
      corner.dispose()
    },
    dispose: () => tf.dispose([...operands]),
  }
}
