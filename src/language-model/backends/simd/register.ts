import * as tf from '@tensorflow/tfjs-core'
import '@tensorflow/tfjs-backend-cpu'
import { registerDecoderLayers } from './decoder-layers.ts'
import { registerFusedKernels } from './fused-kernels.ts'
import { hasRelaxedSimd, instantiateKernels } from './kernel-module.ts'
import { SimdBackend } from './simd-backend.ts'
import { registerStockKernels } from './stock-kernels.ts'

/** Registers the backend `simd` with TensorFlow.js; the module compiles when the backend is first selected. Safe to call again. */
export function registerSimdBackend(): void {
  if (tf.findBackendFactory('simd')) return
  tf.registerBackend('simd', async () => {
    const { kernels, memory } = await instantiateKernels(hasRelaxedSimd())
    return new SimdBackend(kernels, memory)
  })
  tf.copyRegisteredKernels('cpu', 'simd')
  registerStockKernels()
  registerFusedKernels()
  registerDecoderLayers()
}
