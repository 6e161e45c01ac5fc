import * as tf from '@tensorflow/tfjs-core'
import type { RandomStream } from '../sampling/random-stream.ts'

/**
 * Zeroes each number of x with probability `rate` and scales the others by 1 / (1 − rate), which keeps the mean
 * (Srivastava et al., 2014). Takes one draw from the stream for each number, in order.
 */
export function dropout(x: tf.Tensor2D, rate: number, uniform: RandomStream): tf.Tensor2D {
  if (rate === 0) return x
  const kept = 1 / (1 - rate)
  const mask = new Float32Array(x.size)
  for (let i = 0; i < mask.length; i++) mask[i] = uniform() < rate ? 0 : kept
  return tf.tidy(() => tf.mul(x, tf.tensor2d(mask, x.shape)))
}
