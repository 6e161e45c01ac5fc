import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'

/** Submits all that has been recorded. What is recorded next gets an encoder of its own. */
export function submitCommands(backend: WebGPUBackend): void {
  // There may be none.
  backend.ensureCommandEncoderReady()
  backend.endComputePassEncoder()
  backend.submitQueue()
}
