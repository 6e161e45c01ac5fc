import * as tf from '@tensorflow/tfjs-core'

/**
 * Sums whose gradients keep no operands: the stock ones keep both only for their shapes, which takes as much memory as a layer's
 * projections.
 */

/** a + b of one shape */
export function addSame(a: tf.Tensor2D, b: tf.Tensor2D): tf.Tensor2D {
  const sum = tf.customGrad((...args) => ({
    value: tf.add(args[0] as tf.Tensor2D, args[1] as tf.Tensor2D),
    gradFunc: (dy) => [tf.clone(dy), tf.clone(dy)],
  }))
  return sum(a, b) as tf.Tensor2D
}

/** y[N, out] + bias[out] in every row. A frozen bias gets no gradient. */
export function addBias(y: tf.Tensor2D, bias: tf.Tensor1D): tf.Tensor2D {
  if (bias instanceof tf.Variable && !bias.trainable) {
    const shifted = tf.customGrad((input) => ({
      value: tf.add(input as tf.Tensor2D, bias as tf.Tensor1D),
      gradFunc: (dy) => tf.clone(dy),
    }))
    return shifted(y) as tf.Tensor2D
  }
  const sum = tf.customGrad((...args) => ({
    value: tf.add(args[0] as tf.Tensor2D, args[1] as tf.Tensor1D),
    gradFunc: (dy) => [tf.clone(dy), tf.sum(dy, 0)],
  }))
  return sum(y, bias) as tf.Tensor2D
}
