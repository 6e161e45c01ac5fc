/** Registers kernels that TensorFlow.js does not have. */
import * as tf from '@tensorflow/tfjs-core'
import type { FusedKernel } from '../ops/backend-kernels.ts'

type Inputs = Record<string, tf.TensorInfo>

export function registerFor<Backend>(backendName: string) {
  return <Attributes>(
    kernelName: FusedKernel,
    run: (backend: Backend, inputs: Inputs, attributes: Attributes) => tf.TensorInfo | tf.TensorInfo[],
  ): void =>
    tf.registerKernel({
      kernelName,
      backendName,
      kernelFunc: ({ inputs, backend, attrs }) =>
        run(backend as Backend, inputs as Inputs, attrs as unknown as Attributes),
    })
}

/** Throws for a wrong index, which would read or write anywhere in the memory, or which a device would silently clamp. */
export function checkIndices(indices: Int32Array, rows: number): void {
  for (const index of indices) {
    if (index < 0 || index >= rows)
      throw new RangeError(
        `A tensor with ${rows} rows has no row ${index}. Check the ids or slots given to the operation.`,
      )
  }
}
