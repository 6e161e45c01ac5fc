import * as tf from '@tensorflow/tfjs-core'
import { addBias } from './add.ts'

/**
 * y = x · Wᵀ + b, with W as Hugging Face stores it: x[N, in], weight[out, in], bias[out] → [N, out].
 *
 * A stock matrix product on every backend, because its stock gradient is lazy: for a frozen weight (LoRA) it skips the weight's
 * gradient, a third of the work. The simd and webgpu backends replace the kernel underneath.
 */
export function linear(x: tf.Tensor2D, weight: tf.Tensor2D, bias?: tf.Tensor1D): tf.Tensor2D {
  const product: tf.Tensor2D = tf.matMul(x, weight, false, true)
  return bias ? addBias(product, bias) : product
}
