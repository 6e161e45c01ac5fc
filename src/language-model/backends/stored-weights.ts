/** Where the selected backend keeps a model's weights, and in which form. */
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'
import * as tf from '@tensorflow/tfjs-core'
import type { FourBitBlocks, WeightStorage } from '../weights/weight-storage.ts'
import { ModelTooLargeError } from './backend.ts'
import type { GpuBackend } from './webgpu/gpu-backend.ts'
import type { SimdBackend } from './simd/simd-backend.ts'

/**
 * Moves a float tensor's numbers to the selected backend and releases their array. First use would do so too; doing it while a model
 * loads keeps the model from being in memory twice. `name` is the tensor's in errors. Throws ModelTooLargeError.
 */
export function moveToBackend(tensor: tf.Tensor, name: string): void {
  const backend = tf.backend() as Partial<
    Pick<SimdBackend, 'addressOf'> & Pick<WebGPUBackend, 'device' | 'uploadToGPU'>
  >
  checkSize(backend, tensor.size * 4, name)
  backend.uploadToGPU?.(tensor.dataId)
  backend.addressOf?.(tensor)
}

function checkSize({ device }: { device?: GPUDevice }, bytes: number, name: string): void {
  const most = device?.limits.maxStorageBufferBindingSize ?? Infinity
  if (bytes > most)
    throw new ModelTooLargeError(
      `${name} needs ${(bytes / 1e6).toFixed(0)} MB, but this graphics device allows at most ${(most / 1e6).toFixed(0)} MB for one tensor. Choose a smaller model, weights in four bits, or the CPU.`,
    )
}

/**
 * Stores a frozen weight in half precision, half the memory, if the selected backend can (webgpu); returns whether it did. Other
 * readers get single-precision numbers, which stay until this is called again.
 */
export function keepHalf(weight: tf.Variable): boolean {
  const backend = tf.backend() as Partial<Pick<GpuBackend, 'keepHalfAlone'>>
  return backend.keepHalfAlone?.(weight) ?? false
}

/**
 * Stores a frozen matrix in four bits, 0.16 of the memory, if the selected backend can (cpu, webgpu); returns whether it did. Other
 * readers get floats. `name` is the weight's in errors. Throws ModelTooLargeError.
 */
export function keepFourBit(weight: tf.Variable, blocks: FourBitBlocks, name: string): boolean {
  const backend = tf.backend() as FourBitBackend
  if (backend.keepFourBit) checkSize(backend, blocks.byteLength, name)
  return backend.keepFourBit?.(weight, blocks) ?? false
}

/** Restores a weight's storage after something has read its numbers in single precision. */
export function keepAgain(weight: tf.Variable, storage: WeightStorage): void {
  if (storage === 'float16') keepHalf(weight)
  else if (storage === 'four-bit') {
    const backend = tf.backend() as FourBitBackend
    backend.keepFourBit?.(weight)
  }
}

interface FourBitBackend extends tf.KernelBackend {
  keepFourBit?(weight: tf.TensorInfo, blocks?: FourBitBlocks): boolean
  device?: GPUDevice
}
