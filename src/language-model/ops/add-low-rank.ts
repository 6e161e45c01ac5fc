import * as tf from '@tensorflow/tfjs-core'
import { addSame } from './add.ts'
import { hasKernel, runKernel } from './backend-kernels.ts'
import { linear } from './linear.ts'

/**
 * y + s · narrow · Bᵀ, the last step of a low-rank adapter: y[N, out], narrow[N, r], b[out, r] → [N, out]. Fused, it is one pass over y
 * instead of three.
 */
export function addLowRank(y: tf.Tensor2D, narrow: tf.Tensor2D, b: tf.Tensor2D, scale: number): tf.Tensor2D {
  if (!hasKernel('AddLowRank')) return addSame(y, linear(tf.mul(narrow, scale), b))
  const fused = tf.customGrad((...args) => {
    const [into, low, weight, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, tf.Tensor2D, tf.GradSaveFunc]
    save([low, weight])
    return {
      value: runKernel<tf.Tensor2D>('AddLowRank', { y: into, narrow: low, b: weight }, { scale }),
      gradFunc: (dy, saved) => {
        const [from, to] = saved as [tf.Tensor2D, tf.Tensor2D]
        // d narrow = s dy B,   dB = s dyᵀ narrow
        return [
          tf.clone(dy),
          tf.mul(tf.matMul(dy as tf.Tensor2D, to), scale),
          tf.mul(tf.matMul(dy as tf.Tensor2D, from, true), scale),
        ]
      },
    }
  })
  return fused(y, narrow, b) as tf.Tensor2D
}
