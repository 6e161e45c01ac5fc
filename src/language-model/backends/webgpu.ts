/** Loaded on demand, so that the WebGPU backend of TensorFlow.js is a chunk of its own. Importing it registers the backend. */
import '@tensorflow/tfjs-backend-webgpu'
import { registerFusedKernels } from './webgpu/fused-kernels.ts'

registerFusedKernels()
