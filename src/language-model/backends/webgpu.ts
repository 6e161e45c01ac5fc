/** Loaded on demand, so that WebGPU is a chunk of its own. Importing it puts our backend in the place of the stock one, whose kernels it keeps. */
import '@tensorflow/tfjs-backend-webgpu'
import * as tf from '@tensorflow/tfjs-core'
import { openDevice } from './webgpu/device.ts'
import { registerFusedKernels } from './webgpu/fused-kernels.ts'
import { GpuBackend } from './webgpu/gpu-backend.ts'
import { registerStockKernels } from './webgpu/stock-kernels.ts'

tf.removeBackend('webgpu')
tf.registerBackend('webgpu', async () => {
  const { device, adapterInfo } = await openDevice()
  return new GpuBackend(device, adapterInfo)
})
registerStockKernels()
registerFusedKernels()
