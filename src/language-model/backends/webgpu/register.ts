/** Loaded on demand, so that WebGPU is a chunk of its own. Importing it puts our backend in the place of the stock one, whose kernels it keeps. */
import '@tensorflow/tfjs-backend-webgpu'
import * as tf from '@tensorflow/tfjs-core'
import { adoptDevice, openDevice } from './device.ts'
import { registerFusedKernels } from './fused-kernels.ts'
import { GpuBackend } from './gpu-backend.ts'
import { registerStockKernels } from './stock-kernels.ts'

/** Takes the place of the backend before, whose tensors are gone. Without a device it opens its own when it is started. */
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
