import * as tf from '@tensorflow/tfjs-core'
import { hasKernel, runKernel } from './backend-kernels.ts'

/** The gated activation of a Llama block, silu(gate) ⊙ up with silu(z) = z · σ(z) (Shazeer, 2020). gate[N, f], up[N, f] → [N, f]. */
export function swiglu(gate: tf.Tensor2D, up: tf.Tensor2D): tf.Tensor2D {
  if (!hasKernel('SwiGlu')) return tf.tidy(() => tf.mul(tf.mul(gate, tf.sigmoid(gate)), up))
  const fused = tf.customGrad((...args) => {
    const [g, u, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, tf.GradSaveFunc]
    save([g, u])
    return {
      value: runKernel<tf.Tensor2D>('SwiGlu', { gate: g, up: u }),
      gradFunc: (dy, saved) => runKernel<tf.Tensor[]>('SwiGluGradient', { dy, gate: saved[0]!, up: saved[1]! }),
    }
  })
  return fused(gate, up) as tf.Tensor2D
}
