import * as tf from '@tensorflow/tfjs-core'
import { hasKernel, runKernel } from './backend-kernels.ts'

/** Rows `indices` of x[N, d], in that order → [indices.length, d]. The gradient adds each row back to its source. */
export function gatherRows(x: tf.Tensor2D, indices: Int32Array): tf.Tensor2D {
  if (!hasKernel('GatherRows')) return tf.tidy(() => tf.gather(x, tf.tensor1d(indices, 'int32')))
  const rows = x.shape[0]
  const fused = tf.customGrad((input) => ({
    value: runKernel<tf.Tensor2D>('GatherRows', { x: input as tf.Tensor }, { indices }),
    gradFunc: (dy) => runKernel<tf.Tensor2D>('ScatterAddRows', { dy }, { indices, rows }),
  }))
  return fused(x) as tf.Tensor2D
}

/** Token embeddings: rows `ids` of table[V, d] → [ids.length, d]. */
export function embedding(table: tf.Tensor2D, ids: Int32Array): tf.Tensor2D {
  return gatherRows(table, ids)
}
