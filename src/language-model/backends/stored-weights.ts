/** Where the selected backend keeps a model's weights, and in which form. */
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'
import * as tf from '@tensorflow/tfjs-core'
import type { FourBitBlocks, WeightStorage } from '../weights/weight-storage.ts'
import { ModelTooLargeError } from './backend.ts'
import type { GpuBackend } from './webgpu/gpu-backend.ts'
import type { SimdBackend } from './simd/simd-backend.ts'

/**
 * Moves a float tensor's numbers to where the selected backend computes and lets go of the array that they came in. It would happen
 * by itself when the tensor is first used; while a model is loaded, this is what keeps it from being in memory twice. `name` is the
 * tensor's in errors. Throws ModelTooLargeError.
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
      `${name} takes ${(bytes / 1e6).toFixed(0)} MB, and this graphics device takes at most ${(most / 1e6).toFixed(0)} MB as one. Choose a smaller model, weights in four bits, or the CPU.`,
    )
}

/**
 * Keeps a weight that is not trained in half precision, where the selected backend can (webgpu), in half the memory; says whether it
 * is kept so. Whatever else asks for it gets single-precision numbers of it, which stay until this is called again.
 */
export function keepHalf(weight: tf.Variable): boolean {
  const backend = tf.backend() as Partial<Pick<GpuBackend, 'keepHalfAlone'>>
  return backend.keepHalfAlone?.(weight) ?? false
}

/**
 * Keeps a matrix that is not trained in four bits, where the selected backend can (cpu, webgpu), in 0.16 of the memory; says whether it is
 * kept so. Whatever else asks for it gets floats of it. `name` is the weight's in errors. Throws ModelTooLargeError.
 */
export function keepFourBit(weight: tf.Variable, blocks: FourBitBlocks, name: string): boolean {
  const backend = tf.backend() as FourBitBackend
  if (backend.keepFourBit) checkSize(backend, blocks.byteLength, name)
  return backend.keepFourBit?.(weight, blocks) ?? false
}

/** Keeps a weight again as it was before somebody asked for numbers of it in single precision. */
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
