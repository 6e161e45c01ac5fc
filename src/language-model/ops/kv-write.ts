import * as tf from '@tensorflow/tfjs-core'
import { hasKernel, runKernel } from './backend-kernels.ts'

/**
 * Writes rows[N, C] into distinct `slots` of pool[M, C] and returns the pool to use from now on: the same tensor, written in place,
 * if the backend has the kernel, else a new one that replaces the disposed old one. Has no gradient: only sampling uses a pool.
 */
export function kvWrite(pool: tf.Tensor2D, rows: tf.Tensor2D, slots: Int32Array): tf.Tensor2D {
  if (slots.length === 0) return pool
  if (hasKernel('WriteRows')) {
    tf.dispose(runKernel<tf.Tensor>('WriteRows', { pool, rows }, { slots }))
    return pool
  }
  const written = tf.tidy(() =>
    tf.tensorScatterUpdate<tf.Rank.R2>(pool, tf.tensor2d(slots, [slots.length, 1], 'int32'), rows),
  )
  pool.dispose()
  return written
}
