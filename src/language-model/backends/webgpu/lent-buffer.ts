/** A tensor's numbers as a buffer on the device, for a program beside TensorFlow.js that computes on the same one. */
import * as tf from '@tensorflow/tfjs-core'
import { packHalf } from './elementwise-code.ts'
import type { GpuBackend } from './gpu-backend.ts'

export type LentType = 'float32' | 'float16'

const HALF_PARTS = 4

/** Whether a tensor of so many numbers can be lent as a type: halves are packed four at a time. */
export function canLend(size: number, type: LentType): boolean {
  return type === 'float32' || size % HALF_PARTS === 0
}

/**
 * Lends a tensor of the webgpu backend until `use` has resolved. What fills the buffer is on its way to the device by then, so that
 * commands submitted from now on read it whole.
 */
export async function lendBuffer(
  tensor: tf.Tensor,
  type: LentType,
  use: (buffer: GPUBuffer) => Promise<void>,
): Promise<void> {
  const backend = tf.backend() as GpuBackend
  const lent = type === 'float16' ? packed(backend, tensor) : tensor
  try {
    // TensorFlow.js computes with little on the CPU now and then.
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

/** Whether what was lent is in the range of its type: found out on the device, and read once for all. */
export class LentRange {
  readonly #largest: number
  readonly #names: string[] = []
  readonly #measures: tf.Scalar[] = []

  constructor(type: LentType) {
    this.#largest = type === 'float16' ? LARGEST_HALF : Infinity
  }

  add(tensor: tf.Tensor, name: string): void {
    this.#names.push(name)
    // What is no number comes through a sum, and not through every device's maximum.
    this.#measures.push(
      tf.tidy(() => {
        const sizes = tf.abs(tensor)
        return tf.add<tf.Scalar>(tf.max(sizes), tf.mul(tf.mean(sizes), 0))
      }),
    )
  }

  /** The first tensor that is not, or null. */
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

/** Two numbers in a word. */
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
