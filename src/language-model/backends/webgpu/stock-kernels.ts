import * as tf from '@tensorflow/tfjs-core'
import type { GpuBackend } from './gpu-backend.ts'
import { multiplyInto } from './matmul.ts'

/** Puts our matrix product in the place of the stock one, which stays for what ours is not made for. */
export function registerStockKernels(): void {
  const { kernelFunc: general } = tf.getKernel(tf.BatchMatMul, 'webgpu')
  tf.unregisterKernel(tf.BatchMatMul, 'webgpu')
  tf.registerKernel({
    kernelName: tf.BatchMatMul,
    backendName: 'webgpu',
    kernelFunc: (params) => {
      const { a, b } = params.inputs as Record<'a' | 'b', tf.TensorInfo>
      const { transposeA, transposeB } = params.attrs as unknown as { transposeA: boolean; transposeB: boolean }
      return matMul(params.backend as GpuBackend, a, b, transposeA, transposeB) ?? general(params)
    },
  })
}

/** Batches of the same shape, or a batch and one matrix; null for others, for empty sums and for other types. */
function matMul(
  backend: GpuBackend,
  a: tf.TensorInfo,
  b: tf.TensorInfo,
  transposeA: boolean,
  transposeB: boolean,
): tf.TensorInfo | null {
  const [aBatches, bBatches] = [a.shape.slice(0, -2), b.shape.slice(0, -2)]
  const [aBatch, bBatch] = [aBatches, bBatches].map((sizes) => tf.util.sizeFromShape(sizes)) as [number, number]
  const isPlain = aBatch === 1 || bBatch === 1 || aBatches.join() === bBatches.join()
  const [aRows, aColumns] = a.shape.slice(-2) as [number, number]
  const [bRows, bColumns] = b.shape.slice(-2) as [number, number]
  const [m, k] = transposeA ? [aColumns, aRows] : [aRows, aColumns]
  const n = transposeB ? bRows : bColumns
  if (!isPlain || k === 0 || a.dtype !== 'float32' || b.dtype !== 'float32') return null

  const batches = tf.broadcast_util.assertAndGetBroadcastShape(aBatches, bBatches)
  const c = backend.allocate([...batches, m, n])
  multiplyInto(backend, c, {
    a: { tensor: a, stored: transposeA ? 'columns' : 'rows', batchStride: aBatch === 1 ? 0 : m * k },
    b: { tensor: b, stored: transposeB ? 'rows' : 'columns', batchStride: bBatch === 1 ? 0 : k * n },
    m,
    n,
    k,
    batch: Math.max(aBatch, bBatch),
  })
  return c
}
