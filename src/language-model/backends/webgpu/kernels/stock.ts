import * as tf from '@tensorflow/tfjs-core'
import { replaceKernel, type OwnKernel } from '../../replace-kernel.ts'
import { addRepeated, scaled } from '../elementwise-code.ts'
import type { GpuBackend } from '../gpu-backend.ts'
import { multiplyInto } from '../matmul.ts'
import { partOf, sizeOf } from '../rows-code.ts'

/** Falls back to the stock kernel for shapes and types that our kernel does not support. */
const replace = (kernelName: string, own: OwnKernel<GpuBackend>) => replaceKernel(kernelName, 'webgpu', 'webgpu', own)

/**
 * Replaces the stock kernels that a transformer runs most: matrix products, sums (every residual and every second gradient), and
 * multiples.
 */
export function registerStockKernels(): void {
  replace(tf.BatchMatMul, (backend, { a, b }, { transposeA, transposeB }) =>
    matMul(backend, a!, b!, transposeA as boolean, transposeB as boolean),
  )
  replace(tf.Add, (backend, { a, b }) => add(backend, a!, b!) ?? add(backend, b!, a!))
  replace(tf.Multiply, (backend, { a, b }) => scale(backend, a!, b!) ?? scale(backend, b!, a!))
}

/** Supports batches of the same shape, or a batch and one matrix; null for others, for empty sums and for other types. */
function matMul(
  backend: GpuBackend,
  a: tf.TensorInfo,
  b: tf.TensorInfo,
  transposeA: boolean,
  transposeB: boolean,
): tf.TensorInfo | null {
  const [aBatches, bBatches] = [a.shape.slice(0, -2), b.shape.slice(0, -2)]
  const [aBatch, bBatch] = [tf.util.sizeFromShape(aBatches), tf.util.sizeFromShape(bBatches)]
  const isPlain = aBatch === 1 || bBatch === 1 || aBatches.join() === bBatches.join()
  const [aRows, aColumns] = a.shape.slice(-2) as [number, number]
  const [bRows, bColumns] = b.shape.slice(-2) as [number, number]
  const [m, k] = transposeA ? [aColumns, aRows] : [aRows, aColumns]
  const n = transposeB ? bRows : bColumns
  if (!isPlain || k === 0 || !areFloat(a, b)) return null

  const c = backend.allocate([...tf.broadcast_util.assertAndGetBroadcastShape(aBatches, bBatches), m, n])
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

/** Supports a b with a's shape or a tail of it. Tensors that are empty, or small and not yet on the device, go to the stock kernel. */
function add(backend: GpuBackend, a: tf.TensorInfo, b: tf.TensorInfo): tf.TensorInfo | null {
  const isTail = b.shape.join() === a.shape.slice(a.shape.length - b.shape.length).join()
  const [size, period] = [tf.util.sizeFromShape(a.shape), tf.util.sizeFromShape(b.shape)]
  if (!isTail || size === 0 || !areFloat(a, b) || backend.shouldExecuteOnCPU([a, b])) return null
  const part = partOf(period)
  const parts = size / sizeOf(part)
  const y = backend.allocate(a.shape)
  backend.dispatch(addRepeated(part), {
    reads: { a, b },
    writes: { y },
    uniforms: { parts, period: period / sizeOf(part) },
    groups: Math.ceil(parts / 64),
  })
  return y
}

/** Supports x times a number that is not on the device yet; the stock kernel would upload it. */
function scale(backend: GpuBackend, x: tf.TensorInfo, factor: tf.TensorInfo): tf.TensorInfo | null {
  const size = tf.util.sizeFromShape(x.shape)
  if (factor.shape.length > 0 || size === 0 || !areFloat(x, factor) || backend.shouldExecuteOnCPU([x])) return null
  const number = backend.numberOf(factor)
  if (number === null) return null
  const part = partOf(size)
  const parts = size / sizeOf(part)
  const y = backend.allocate(x.shape)
  backend.dispatch(scaled(part), {
    reads: { x },
    writes: { y },
    uniforms: { parts, scale: number },
    groups: Math.ceil(parts / 64),
  })
  return y
}

const areFloat = (...tensors: tf.TensorInfo[]) => tensors.every((tensor) => tensor.dtype === 'float32')
