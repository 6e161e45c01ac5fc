/** Lends a tensor's numbers as a device buffer to another program on the same device. */
import * as tf from '@tensorflow/tfjs-core'
import { packHalf } from './elementwise-code.ts'
import type { GpuBackend } from './gpu-backend.ts'

export type LentType = 'float32' | 'float16'

const HALF_PARTS = 4

/**
 * Lends a tensor of the webgpu backend until `use` resolves. The commands that fill the buffer are submitted first, so that later
 * commands read it whole.
 */
export async function lendBuffer(
  tensor: tf.Tensor,
  type: LentType,
  use: (buffer: GPUBuffer) => Promise<void>,
): Promise<void> {
  const backend = tf.backend() as GpuBackend
  const lent = type === 'float16' ? packed(backend, tensor) : tensor
  try {
    // TensorFlow.js sometimes computes small tensors on the CPU.
    backend.uploadToGPU(lent.dataId)
    const { tensorRef, buffer } = lent.dataToGPU()
    try {
      await use(buffer!)
    } finally {
      tensorRef.dispose()
    }
  } finally {
    if (lent !== tensor) lent.dispose()
  }
}

const LARGEST_HALF = 65504

/** Checks on the device whether lent tensors are in the range of their type, with one read for all. */
export class LentRange {
  readonly #largest: number
  readonly #names: string[] = []
  readonly #measures: tf.Scalar[] = []

  constructor(type: LentType) {
    this.#largest = type === 'float16' ? LARGEST_HALF : Infinity
  }

  add(tensor: tf.Tensor, name: string): void {
    this.#names.push(name)
    // NaN propagates through a sum, but not through every device's maximum.
    this.#measures.push(
      tf.tidy(() => {
        const sizes = tf.abs(tensor)
        return tf.add<tf.Scalar>(tf.max(sizes), tf.mul(tf.mean(sizes), 0))
      }),
    )
  }

  /** The first tensor that is out of range, or null. */
  async outside(): Promise<string | null> {
    if (this.#measures.length === 0) return null
    const all = tf.stack(this.#measures)
    try {
      const values = await all.data()
      const at = values.findIndex((largest) => !(Number.isFinite(largest) && largest <= this.#largest))
      return at < 0 ? null : this.#names[at]!
    } finally {
      all.dispose()
    }
  }

  dispose(): void {
    tf.dispose(this.#measures.splice(0))
  }
}

/** Packs two numbers into a word. */
function packed(backend: GpuBackend, tensor: tf.Tensor): tf.Tensor {
  const words = backend.allocate([tensor.size / 2])
  backend.dispatch(packHalf, {
    reads: { x: tensor },
    writes: { y: words },
    uniforms: { parts: tensor.size / HALF_PARTS },
    groups: Math.ceil(tensor.size / (HALF_PARTS * packHalf.threads)),
  })
  return tf.engine().makeTensorFromTensorInfo(words)
}
