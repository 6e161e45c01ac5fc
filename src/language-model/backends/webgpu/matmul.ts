import * as tf from '@tensorflow/tfjs-core'
import type { GpuBackend } from './gpu-backend.ts'
import { dotGroups, dotProducts, dotRows, MOST_DOT_WEIGHTS } from './dot-product-code.ts'
import { canRun, LARGE_TILES, MEDIUM_TILE, SMALLEST_TILE, type Stored, type Tile, tiledProduct } from './matmul-code.ts'
import { lanesOf, type Part, partOf, rowsPerGroup, sizeOf, sumStrands } from './rows-code.ts'

export interface Operand {
  tensor: tf.TensorInfo
  stored: Stored
  /** Index of its first number in the tensor. */
  start?: number
  /** Numbers from one matrix of a batch to the next; 0 if all share one. */
  batchStride?: number
}

export interface Product {
  a: Operand
  b: Operand
  m: number
  n: number
  k: number
  batch?: number
  /** Where C begins in its tensor; `add` adds to what is there. */
  start?: number
  add?: boolean
}

/** Fewest inner indices that are worth a workgroup. */
const LEAST_SPLIT = 256
/** A product that is split gets so many times the fewest workgroups. */
const SPLIT_GAIN = 4
/** Larger tiles may compute so many times the numbers of tiles of 64 × 64, at the edges of C. */
const MOST_PADDING = 1.1

/** C = A · B into `c`. Chooses the program by shape; the order of all sums is deterministic. */
export function multiplyInto(backend: GpuBackend, c: tf.TensorInfo, product: Product): void {
  const { a, b, m, n, k, batch = 1, start = 0, add = false } = product
  if (m * n * batch === 0) return
  if (add) {
    const sum = backend.allocate([m, n])
    multiplyInto(backend, sum, { ...product, start: 0, add: false })
    sumUp(backend, sum, c, { strands: 1, columns: m * n, start, add: true })
    backend.disposeData(sum.dataId)
  } else if (a.stored === 'rows' && b.stored === 'rows' && m <= backend.products.mostDotRows && batch === 1) {
    const weight = { tensor: b.tensor, n, from: b.start ?? 0, start }
    dot(backend, c, { a: a.tensor, aStart: a.start ?? 0, m, k, weights: [weight] })
  } else {
    const lengths = [lengthOf(a, m, k), lengthOf(b, n, k), n, start]
    const part = lengths.every((length) => length % 4 === 0) ? 'vec4<f32>' : 'f32'
    const { wantedGroups } = backend.products
    const mostSplits = batch === 1 ? Math.max(1, Math.floor(k / LEAST_SPLIT)) : 1
    const isLarge = (each: Tile) =>
      mostSplits * groupsOf(m, n, batch, each) >= wantedGroups &&
      paddedSize(m, n, each) <= MOST_PADDING * paddedSize(m, n, MEDIUM_TILE) &&
      isAllowed(backend, each)
    const tile = (part === 'vec4<f32>' ? LARGE_TILES.find(isLarge) : undefined) ?? SMALLEST_TILE
    const groups = groupsOf(m, n, batch, tile)
    // A sum costs another pass, so it must gain much.
    const splits =
      groups >= 2 * wantedGroups ? 1 : Math.min(mostSplits, Math.ceil((SPLIT_GAIN * wantedGroups) / groups))
    const target = splits === 1 ? c : backend.allocate([splits, m, n])
    multiplyTiles(backend, target, product, part, tile, splits, splits === 1 ? start : 0)
    if (splits === 1) return
    sumUp(backend, target, c, { strands: splits, columns: m * n, start })
    backend.disposeData(target.dataId)
  }
}

const groupsOf = (m: number, n: number, batch: number, { rows, columns }: Tile) =>
  batch * Math.ceil(m / rows) * Math.ceil(n / columns)

/** Numbers of C that tiles compute, with those beyond its edges. */
const paddedSize = (m: number, n: number, tile: Tile) => groupsOf(m, n, 1, tile) * tile.rows * tile.columns

const isAllowed = ({ products, device }: GpuBackend, tile: Tile) =>
  tile.rows <= products.mostRows && tile.columns <= products.mostColumns && canRun(device.limits, tile, products.inner)

/** Length of the index that is contiguous in memory. */
const lengthOf = ({ stored }: Operand, outer: number, inner: number) => (stored === 'rows' ? inner : outer)

function multiplyTiles(
  backend: GpuBackend,
  c: tf.TensorInfo,
  { a, b, m, n, k, batch = 1 }: Product,
  part: Part,
  tile: Tile,
  splits: number,
  start: number,
): void {
  const weight = backend.storedOf(b.tensor, part)
  const { inner } = backend.products
  const { rows, columns } = tile
  backend.dispatch(tiledProduct(rows, columns, inner, a.stored, b.stored, part, weight.precision), {
    reads: { a: a.tensor, b: weight.tensor },
    writes: { c },
    uniforms: {
      m,
      n,
      k,
      aStart: a.start ?? 0,
      bStart: b.start ?? 0,
      cStart: start,
      aBatch: a.batchStride ?? 0,
      bBatch: b.batchStride ?? 0,
      splits,
      innerPerSplit: Math.ceil(k / splits / inner) * inner,
    },
    groups: groupsOf(m, n, batch, tile) * splits,
  })
}

export interface WeightProducts {
  /** [m, k], from `aStart` on. */
  a: tf.TensorInfo
  aStart?: number
  m: number
  k: number
  /** Each [n, k] from `from` on; its product [m, n] begins at `start`. */
  weights: readonly { tensor: tf.TensorInfo; n: number; from?: number; start: number }[]
}

/** A · Wᵀ for several weights into one tensor. A few rows pass through all of them in one program. */
export function multiplyWeights(backend: GpuBackend, c: tf.TensorInfo, products: WeightProducts): void {
  const { a, aStart = 0, m, k, weights } = products
  if (m <= backend.products.mostDotRows) {
    for (let first = 0; first < weights.length; first += MOST_DOT_WEIGHTS)
      dot(backend, c, { ...products, weights: weights.slice(first, first + MOST_DOT_WEIGHTS) })
    return
  }
  for (const { tensor, n, from = 0, start } of weights)
    multiplyInto(backend, c, {
      a: { tensor: a, stored: 'rows', start: aStart },
      b: { tensor, stored: 'rows', start: from },
      m,
      n,
      k,
      start,
    })
}

function dot(backend: GpuBackend, c: tf.TensorInfo, { a, aStart = 0, m, k, weights }: WeightProducts): void {
  const part = partOf(k)
  const parts = k / sizeOf(part)
  const lanes = lanesOf(parts)
  const rows = dotRows(m)
  const usesSubgroups = backend.usesSubgroups && rowsPerGroup(lanes) === 1
  const stored = weights.map(({ tensor }) => backend.storedOf(tensor, part))
  const precisions = stored.map(({ precision }) => precision).join(',')
  const reads: Record<string, tf.TensorInfo> = { a }
  const uniforms: Record<string, number> = { m, k: parts, aStart: aStart / sizeOf(part) }
  let groups = 0
  for (const [w, { n, from = 0, start }] of weights.entries()) {
    reads[`b${w}`] = stored[w]!.tensor
    Object.assign(uniforms, { [`n${w}`]: n, [`bStart${w}`]: from / sizeOf(part), [`cStart${w}`]: start })
    groups += dotGroups(m, n, rows, lanes)
  }
  backend.dispatch(dotProducts(rows, lanes, part, precisions, usesSubgroups), {
    reads,
    writes: { c },
    uniforms,
    groups,
  })
}

/** y[start ... start + columns] = or += Σ over strands of x[strands, columns] */
export function sumUp(
  backend: GpuBackend,
  x: tf.TensorInfo,
  y: tf.TensorInfo,
  { strands, columns, start = 0, add = false }: { strands: number; columns: number; start?: number; add?: boolean },
): void {
  const part = start % 4 === 0 ? partOf(columns) : 'f32'
  const lanes = lanesOf(strands)
  backend.dispatch(sumStrands(part, lanes), {
    reads: { x },
    writes: { y },
    uniforms: { strands, columns: columns / sizeOf(part), start: start / sizeOf(part), add: add ? 1 : 0 },
    groups: Math.ceil(columns / sizeOf(part) / rowsPerGroup(lanes)),
  })
}
