import type * as tf from '@tensorflow/tfjs-core'
import type { BackendName } from '../../language-model/backends/backend.ts'

/** A comparison of the WebGPU backend with the CPU's. */
export interface KernelCheck {
  name: string
  /** Shapes of its random inputs. */
  inputs: readonly (readonly number[])[]
  /** Results to compare; gets the inputs on the selected backend. */
  run(inputs: tf.Tensor[], device: BackendName): tf.Tensor[] | Promise<tf.Tensor[]>
}
