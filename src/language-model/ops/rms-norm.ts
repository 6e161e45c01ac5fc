import * as tf from '@tensorflow/tfjs-core'
import { hasKernel, runKernel } from './backend-kernels.ts'

/**
 * Root-mean-square normalisation over the last axis (Zhang and Sennrich, 2019):
 *
 *     y = w ⊙ x · r,   r = 1 / sqrt(mean(x²) + ε)
 *     dx = r · (w ⊙ dy) − x · r³ · mean(w ⊙ dy ⊙ x),   dw = Σ_rows dy ⊙ x · r
 *
 * x[N, d], weight[d] → [N, d]. For QK-norm reshape [N, heads · headDim] to [N · heads, headDim] first.
 */
export function rmsNorm(x: tf.Tensor2D, weight: tf.Tensor1D, epsilon: number): tf.Tensor2D {
  if (!hasKernel('RmsNorm')) {
    return tf.tidy(() => {
      const meanSquare = tf.mean(tf.square(x), 1, true)
      return tf.mul(tf.mul(x, tf.rsqrt(tf.add(meanSquare, epsilon))), weight)
    })
  }
  const fused = tf.customGrad((...args) => {
    const [input, scale, save] = args as unknown as [tf.Tensor2D, tf.Tensor1D, tf.GradSaveFunc]
    save([input, scale])
    return {
      value: runKernel<tf.Tensor2D>('RmsNorm', { x: input, weight: scale }, { epsilon }),
      gradFunc: (dy, saved) =>
        runKernel<tf.Tensor[]>('RmsNormGradient', { dy, x: saved[0]!, weight: saved[1]! }, { epsilon }),
    }
  })
  return fused(x, weight) as tf.Tensor2D
}
