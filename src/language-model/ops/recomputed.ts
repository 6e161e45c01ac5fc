import * as tf from '@tensorflow/tfjs-core'

/**
 * y = f(x), keeping only x for the backward pass, which runs f again for its gradient (Chen et al., 2016). f depends on x and on
 * `variables`, has gradients only for them, and must compute the same both times.
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

/** Computes gradients inside a backward pass without losing TensorFlow.js's tape of that pass. */
function nestedGradients(f: () => tf.Tensor2D, xs: tf.Tensor[], dy: tf.Tensor): tf.Tensor[] {
  const engine = tf.engine()
  const outer = engine.state.activeTape
  try {
    return engine.gradients(f, xs, dy).grads
  } finally {
    engine.state.activeTape = outer
  }
}
