import * as tf from '@tensorflow/tfjs-core'
import type { BackendName } from '../../language-model/backends/backend.ts'

/** A comparison of the WebGPU backend with the CPU's. */
export interface KernelCheck {
  name: string
  /** Shapes of its random inputs. */
  inputs: readonly (readonly number[])[]
  /** Results to compare; gets the inputs on the selected backend. */
  run(inputs: tf.Tensor[], device: BackendName): tf.Tensor[] | Promise<tf.Tensor[]>
}

export type Op = (...inputs: tf.Tensor[]) => tf.Tensor
export const asMatrix = (tensor: tf.Tensor | undefined) => tensor as tf.Tensor2D

/** The value of an operation and its gradient with respect to each input. */
export function withGradients(name: string, inputs: readonly (readonly number[])[], op: Op): KernelCheck {
  return {
    name,
    inputs,
    run(tensors) {
      const value = op(...tensors)
      // A sum of the values alone would have a constant gradient.
      const dy = tf.tidy(() => tf.add(tf.mul(value, 0.3), 0.7))
      return [value, ...tf.grads(op)(tensors, dy)]
    },
  }
}
