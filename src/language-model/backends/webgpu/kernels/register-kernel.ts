/** How a file of kernels registers them, and what several of them need. */
import * as tf from '@tensorflow/tfjs-core'
import type { FusedKernel } from '../../../ops/backend-kernels.ts'
import type { GpuBackend } from '../gpu-backend.ts'

type Inputs = Record<string, tf.TensorInfo>

export function register<Attributes>(
  kernelName: FusedKernel,
  run: (backend: GpuBackend, inputs: Inputs, attributes: Attributes) => tf.TensorInfo | tf.TensorInfo[],
): void {
  tf.registerKernel({
    kernelName,
    backendName: 'webgpu',
    kernelFunc: ({ inputs, backend, attrs }) =>
      run(backend as GpuBackend, inputs as Inputs, attrs as unknown as Attributes),
  })
}

/** Workgroups of programs whose threads compute one part of the result each. */
export const groupsFor = (parts: number) => Math.ceil(parts / 64)

/** Throws for a wrong index, which a device would silently clamp. */
export function checkIndices(indices: Int32Array, rows: number): void {
  for (const index of indices) {
    if (index < 0 || index >= rows)
      throw new RangeError(
        `A tensor with ${rows} rows has no row ${index}. Check the ids or slots given to the operation.`,
      )
  }
}
