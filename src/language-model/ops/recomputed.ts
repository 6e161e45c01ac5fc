import * as tf from '@tensorflow/tfjs-core'

/**
 * y = f(x) that keeps x alone for the backward pass, which runs f a second time for its own gradient (Chen et al., 2016). f is a
 * function of x and of `variables`, which are all that it has gradients for; it must compute the same both times.
 */
export function recomputed(
  f: (x: tf.Tensor2D) => tf.Tensor2D,
  x: tf.Tensor2D,
  variables: readonly tf.Variable[],
): tf.Tensor2D {
  const once = tf.customGrad((...args) => {
    const input = args[0] as tf.Tensor2D
    const save = args.at(-1) as unknown as tf.GradSaveFunc
    save([input])
    return {
      value: f(input),
      gradFunc: (dy, saved) => {
        const again = saved[0] as tf.Tensor2D
        return nestedGradients(() => f(again), [again, ...variables], dy)
      },
    }
  })
  return once(x, ...variables) as tf.Tensor2D
}

/** Gradients in the middle of a backward pass, whose own record TensorFlow.js would lose. */
function nestedGradients(f: () => tf.Tensor2D, xs: tf.Tensor[], dy: tf.Tensor): tf.Tensor[] {
  const engine = tf.engine()
  const outer = engine.state.activeTape
  try {
    return engine.gradients(f, xs, dy).grads
  } finally {
    engine.state.activeTape = outer
  }
}
