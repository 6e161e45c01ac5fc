/** Products with a weight W[n, k], which may be in four bits: only about 1 MB of its rows are floats at a time. */
import type { TensorInfo } from '@tensorflow/tfjs-core'
import type { SimdBackend } from './simd-backend.ts'

const TILE_FLOATS = 1 << 18
/** A multiple of the columns that the matrix product holds in registers, and the inner indices that it processes at once. */
const [ROWS_TOGETHER, MOST_ROWS] = [8, 256]

/** c[m, n] = a[m, k] · Wᵀ; all are addresses. */
export function multiplyFourBit(
  backend: SimdBackend,
  a: number,
  blocks: number,
  c: number,
  m: number,
  n: number,
  k: number,
): void {
  withTile(backend, n, k, (tile, rows) =>
    backend.kernels.fourBitMatmul(a, blocks, c, m, n, k, tile, rows, backend.matmulScratch),
  )
}

/** da[m, k] = dc[m, n] · W */
export function multiplyFourBitGradient(
  backend: SimdBackend,
  dc: number,
  blocks: number,
  da: number,
  m: number,
  n: number,
  k: number,
): void {
  withTile(backend, n, k, (tile, rows) =>
    backend.kernels.fourBitMatmulGradient(dc, blocks, da, m, n, k, tile, rows, backend.matmulScratch),
  )
}

/** The output layer head[V, d]. */
export function outputLayer(backend: SimdBackend, head: TensorInfo) {
  const [words, width] = head.shape as [number, number]
  const blocks = backend.blocksOf(head)
  const { kernels, matmulScratch } = backend
  const weight = blocks ?? backend.addressOf(head)
  return {
    /** logits[count, V] = hidden[count, d] · headᵀ */
    logits(hidden: number, logits: number, count: number): void {
      if (blocks !== null) multiplyFourBit(backend, hidden, blocks, logits, count, words, width)
      else kernels.matmul(hidden, weight, logits, count, words, width, width, 1, 1, width, 0, matmulScratch)
    },
    /** dHidden[count, d] = dLogits[count, V] · head */
    gradient(dLogits: number, dHidden: number, count: number): void {
      if (blocks !== null) multiplyFourBitGradient(backend, dLogits, blocks, dHidden, count, words, width)
      else kernels.matmul(dLogits, weight, dHidden, count, width, words, words, 1, width, 1, 0, matmulScratch)
    },
  }
}

function withTile(backend: SimdBackend, n: number, k: number, work: (tile: number, rows: number) => void): void {
  const fitting = Math.floor(TILE_FLOATS / k / ROWS_TOGETHER) * ROWS_TOGETHER
  const rows = Math.min(n, MOST_ROWS, Math.max(ROWS_TOGETHER, fitting))
  backend.withScratch((scratch) => work(scratch.bytes(4 * rows * k), rows))
}
