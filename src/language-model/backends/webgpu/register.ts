/** Importing this file replaces the stock WebGPU backend with ours, which keeps its kernels. Loaded on demand, as a chunk of its own. */
import '@tensorflow/tfjs-backend-webgpu'
import * as tf from '@tensorflow/tfjs-core'
import { adoptDevice, openDevice } from './device.ts'
import { registerFusedKernels } from './kernels/index.ts'
import { GpuBackend } from './gpu-backend.ts'
import { registerStockKernels } from './kernels/stock.ts'

/** Registers our backend; tensors of an earlier one are lost. If `device` is null, it opens its own when it starts. */
export function placeBackend(device: GPUDevice | null): void {
  tf.removeBackend('webgpu')
  tf.registerBackend('webgpu', async () => {
    const opened = device === null ? await openDevice() : adoptDevice(device)
    return new GpuBackend(opened.device, opened.adapterInfo)
  })
}

placeBackend(null)
registerStockKernels()
registerFusedKernels()
