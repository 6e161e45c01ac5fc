import * as tf from '@tensorflow/tfjs-core'
import { replaceKernel, type OwnKernel } from '../replace-kernel.ts'
import { multiplyFourBitGradient } from './four-bit-product.ts'
import type { SimdBackend } from './simd-backend.ts'
import { multiplyWeight } from './weight-product.ts'

/** Falls back to the stock kernel of `cpu` for shapes and types that our kernel does not support. */
const replace = (kernelName: string, own: OwnKernel<SimdBackend>) => replaceKernel(kernelName, 'simd', 'cpu', own)

/**
 * Replaces the stock kernels that take time in training: matrix products, sums and products of activations, a bias gradient's sum. And
 * the one that fills a tensor, which would build it in JavaScript: the cache of keys and values begins so.
 */
export function registerStockKernels(): void {
  replace(tf.BatchMatMul, (backend, { a, b }, { transposeA, transposeB }) =>
    matmul(backend, a!, b!, transposeA as boolean, transposeB as boolean),
  )
  replace(tf.Add, (backend, { a, b }) => addScaled(backend, a!, b!, 1) ?? addScaled(backend, b!, a!, 1))
  replace(tf.Sub, (backend, { a, b }) => addScaled(backend, a!, b!, -1))
  replace(tf.Multiply, (backend, { a, b }) => multiply(backend, a!, b!) ?? multiply(backend, b!, a!))
  replace(tf.Fill, (backend, _, { shape, value, dtype }) => zeros(backend, shape as number[], value, dtype))
  replace(tf.Sum, (backend, { x }, { axis, keepDims }) => sumRows(backend, x!, axis, keepDims as boolean))
}

function matmul(
  backend: SimdBackend,
  a: tf.TensorInfo,
  b: tf.TensorInfo,
  transposeA: boolean,
  transposeB: boolean,
): tf.TensorInfo | null {
  const batch = a.shape.slice(0, -2)
  if (!areFloat(a, b) || batch.join() !== b.shape.slice(0, -2).join()) return null
  const [aRows, aColumns] = a.shape.slice(-2) as [number, number]
  const [bRows, bColumns] = b.shape.slice(-2) as [number, number]
  const [m, k] = transposeA ? [aColumns, aRows] : [aRows, aColumns]
  const n = transposeB ? bRows : bColumns
  if (!transposeA && batch.length === 0) {
    const from = backend.addressOf(a)
    if (transposeB) {
      const out = backend.allocate([m, n])
      multiplyWeight(backend, from, b, out.address, m)
      return out.info
    }
    const blocks = backend.blocksOf(b)
    if (blocks !== null) {
      const out = backend.allocate([m, n])
      multiplyFourBitGradient(backend, from, blocks, out.address, m, k, n)
      return out.info
    }
  }
  const [from, with_] = [backend.addressOf(a), backend.addressOf(b)]
  const out = backend.allocate([...batch, m, n])
  for (let i = 0; i < tf.util.sizeFromShape(batch); i++) {
    backend.kernels.matmul(
      from + i * m * k * 4,
      with_ + i * k * n * 4,
      out.address + i * m * n * 4,
      m,
      n,
      k,
      transposeA ? 1 : k,
      transposeA ? m : 1,
      transposeB ? 1 : n,
      transposeB ? k : 1,
      0,
      backend.matmulScratch,
    )
  }
  return out.info
}

function addScaled(backend: SimdBackend, a: tf.TensorInfo, b: tf.TensorInfo, factor: number): tf.TensorInfo | null {
  if (!areFloat(a, b) || !repeatsOver(b.shape, a.shape)) return null
  const [from, period] = [backend.addressOf(a), tf.util.sizeFromShape(b.shape)]
  const count = tf.util.sizeFromShape(a.shape)
  if (period === 1) {
    const addend = factor * scalarOf(backend, b)
    const out = backend.allocate(a.shape)
    backend.kernels.scaleShift(from, out.address, count, 1, addend)
    return out.info
  }
  const with_ = backend.addressOf(b)
  const out = backend.allocate(a.shape)
  if (count > 0) backend.kernels.addScaled(from, with_, out.address, count, period, factor)
  return out.info
}

function multiply(backend: SimdBackend, a: tf.TensorInfo, b: tf.TensorInfo): tf.TensorInfo | null {
  if (!areFloat(a, b) || !repeatsOver(b.shape, a.shape)) return null
  const [from, period] = [backend.addressOf(a), tf.util.sizeFromShape(b.shape)]
  const count = tf.util.sizeFromShape(a.shape)
  if (period === 1) {
    const factor = scalarOf(backend, b)
    const out = backend.allocate(a.shape)
    backend.kernels.scaleShift(from, out.address, count, factor, 0)
    return out.info
  }
  const with_ = backend.addressOf(b)
  const out = backend.allocate(a.shape)
  if (count > 0) backend.kernels.multiply(from, with_, out.address, count, period)
  return out.info
}

function zeros(backend: SimdBackend, shape: number[], value: unknown, dtype: unknown): tf.TensorInfo | null {
  if (value !== 0 || (dtype !== undefined && dtype !== 'float32')) return null
  const out = backend.allocate(shape)
  backend.kernels.fillZero(out.address, tf.util.sizeFromShape(shape))
  return out.info
}

function sumRows(backend: SimdBackend, x: tf.TensorInfo, axis: unknown, keepDims: boolean): tf.TensorInfo | null {
  if (!areFloat(x) || x.shape.length !== 2) return null
  const axes = tf.util.parseAxisParam(axis as number | number[], x.shape)
  if (axes.length !== 1 || axes[0] !== 0) return null
  const [rows, width] = x.shape as [number, number]
  const from = backend.addressOf(x)
  const out = backend.allocate(keepDims ? [1, width] : [width])
  backend.kernels.sumRows(from, out.address, rows, width)
  return out.info
}

const areFloat = (...tensors: tf.TensorInfo[]) => tensors.every((tensor) => tensor.dtype === 'float32')

/** True for broadcasting that is plain repetition: the smaller shape is a tail of the larger, or has one element and no more axes. */
function repeatsOver(small: number[], large: number[]): boolean {
  if (small.length > large.length) return false
  if (small.every((size) => size === 1)) return true
  return small.every((size, i) => size === large[large.length - small.length + i])
}

function scalarOf(backend: SimdBackend, x: tf.TensorInfo): number {
  return (backend.data.get(x.dataId).values as Float32Array)[0]!
}
