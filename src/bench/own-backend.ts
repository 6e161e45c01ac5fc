/** Starts our backends so that peers in the same thread can use theirs in between. */
import * as tf from '@tensorflow/tfjs-core'
import type { BackendName } from '../language-model/backends/backend.ts'
import { selectBackend } from '../language-model/backends/select-backend.ts'
import type { StartedBackend } from './subjects.ts'

/** Names to display. */
export const DEVICES: Record<BackendName, string> = { cpu: 'CPU', webgpu: 'WebGPU' }

export const OWN_NAMES: Record<BackendName, string> = { cpu: 'simd', webgpu: 'webgpu' }

/** A setting that TensorFlow.js has once for all WebGPU backends, but for which ours and the stock one need different values. */
const COMMANDS_AT_ONCE = 'WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE'

/** Throws BackendUnavailableError. */
export async function startOwn(device: BackendName): Promise<StartedBackend> {
  const { description } = await selectBackend(device)
  const backend = tf.getBackend()
  const commandsAtOnce = device === 'webgpu' ? tf.env().getNumber(COMMANDS_AT_ONCE) : null
  return {
    note: description,
    async use() {
      if (commandsAtOnce !== null) tf.env().set(COMMANDS_AT_ONCE, commandsAtOnce)
      await tf.setBackend(backend)
    },
  }
}
