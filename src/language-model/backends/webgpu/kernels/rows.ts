/** Kernels that compute rows or single numbers: normalisation, rotation, gated activation, low-rank change, and rows by index. */
import * as tf from '@tensorflow/tfjs-core'
import { angleTables } from '../angle-table.ts'
import { rope, swiglu, swigluGradient } from '../elementwise-code.ts'
import type { GpuBackend } from '../gpu-backend.ts'
import { addLowRank } from '../low-rank-code.ts'
import { sumUp } from '../matmul.ts'
import {
  gatherRows,
  lanesOf,
  partOf,
  rmsNorm,
  rmsNormGradient,
  rowsPerGroup,
  scatterAddRows,
  sizeOf,
  writeRows,
} from '../rows-code.ts'
import { checkIndices } from '../../own-kernels.ts'
import { groupsFor, register } from './register-kernel.ts'

/** Most workgroups that process many rows each: enough to fill a device, few enough to add up their sums. */
const MOST_STRAND_GROUPS = 128

export function registerRowKernels(): void {
  register<{ epsilon: number }>('RmsNorm', (backend, { x, weight }, { epsilon }) => {
    const y = backend.allocate(x!.shape)
    normalise(backend, x!, weight!, y, epsilon)
    return y
  })

  register<{ epsilon: number }>('RmsNormGradient', (backend, { dy, x, weight }, { epsilon }) => {
    const [rows, columns] = x!.shape as [number, number]
    const part = partOf(columns)
    const width = columns / sizeOf(part)
    const lanes = lanesOf(width)
    const groups = Math.min(MOST_STRAND_GROUPS, Math.ceil(rows / rowsPerGroup(lanes)))
    const strands = groups * rowsPerGroup(lanes)
    const dx = backend.allocate(x!.shape)
    const weightSums = backend.allocate([strands, columns])
    backend.dispatch(rmsNormGradient(part, lanes), {
      reads: { dy: dy!, x: x!, weight: weight! },
      writes: { dx, weightSums },
      uniforms: { rows, width, strands, steps: Math.ceil(rows / strands), share: 1 / columns, epsilon },
      groups,
    })
    const dw = backend.allocate([columns])
    sumUp(backend, weightSums, dw, { strands, columns })
    backend.disposeData(weightSums.dataId)
    return [dx, dw]
  })

  register<{ positions: Int32Array; headDim: number; inverseFrequencies: Float32Array; direction: number }>(
    'RotaryEmbedding',
    (backend, { x }, { positions, headDim, inverseFrequencies, direction }) => {
      const [rows, width] = x!.shape as [number, number]
      const part = partOf(headDim / 2)
      const half = headDim / 2 / sizeOf(part)
      const heads = width / headDim
      const table = angleTables.get(backend, inverseFrequencies, positions)
      const y = backend.allocate(x!.shape)
      backend.dispatch(rope(part), {
        reads: { x: x!, angles: table.angles, positions: backend.uploadOnce(positions, () => positions) },
        writes: { y },
        uniforms: { pairs: rows * heads * half, half, heads, sines: table.positions * half, direction },
        groups: groupsFor(rows * heads * half),
      })
      return y
    },
  )

  register('SwiGlu', (backend, { gate, up }) => {
    const size = tf.util.sizeFromShape(gate!.shape)
    const part = partOf(size)
    const parts = size / sizeOf(part)
    const y = backend.allocate(gate!.shape)
    backend.dispatch(swiglu(part), {
      reads: { gate: gate!, up: up! },
      writes: { y },
      uniforms: { parts, upStart: 0 },
      groups: groupsFor(parts),
    })
    return y
  })

  register('SwiGluGradient', (backend, { dy, gate, up }) => {
    const size = tf.util.sizeFromShape(gate!.shape)
    const part = partOf(size)
    const parts = size / sizeOf(part)
    const [dgate, dup] = [backend.allocate(gate!.shape), backend.allocate(gate!.shape)]
    backend.dispatch(swigluGradient(part), {
      reads: { dy: dy!, gate: gate!, up: up! },
      writes: { dgate, dup },
      uniforms: { parts },
      groups: groupsFor(parts),
    })
    return [dgate, dup]
  })

  register<{ scale: number }>('AddLowRank', (backend, { y, narrow, b }, { scale }) => {
    const [rows, columns] = y!.shape as [number, number]
    const rank = narrow!.shape[1]!
    const part = columns % 4 === 0 ? partOf(rank) : 'f32'
    const width = columns / sizeOf(part)
    const z = backend.allocate(y!.shape)
    backend.dispatch(addLowRank(part), {
      reads: { y: y!, narrow: narrow!, b: b! },
      writes: { z },
      uniforms: { parts: rows * width, width, rank: rank / sizeOf(part), scale },
      groups: groupsFor(rows * width),
    })
    return z
  })

  register<{ indices: Int32Array }>('GatherRows', (backend, { x }, { indices }) => {
    const y = backend.allocate([indices.length, x!.shape[1]!])
    gather(backend, x!, indices, y)
    return y
  })

  register<{ indices: Int32Array; rows: number }>('ScatterAddRows', (backend, { dy }, { indices, rows }) => {
    const columns = dy!.shape[1]!
    checkIndices(indices, rows)
    const part = partOf(columns)
    const width = columns / sizeOf(part)
    const dx = backend.allocate([rows, columns])
    const sources = backend.makeTensorInfo([rows + 1 + indices.length], 'int32', sourcesOfRows(indices, rows))
    backend.dispatch(scatterAddRows(part), {
      reads: { dy: dy!, sources },
      writes: { dx },
      uniforms: { parts: rows * width, rows, width },
      groups: groupsFor(rows * width),
    })
    backend.disposeData(sources.dataId)
    return dx
  })

  register<{ slots: Int32Array }>('WriteRows', (backend, { pool, rows }, { slots }) => {
    const [size, columns] = pool!.shape as [number, number]
    checkIndices(slots, size)
    const part = partOf(columns)
    const width = columns / sizeOf(part)
    backend.dispatch(writeRows(part), {
      reads: { rows: rows!, slots: backend.uploadOnce(slots, () => slots) },
      writes: { pool: pool! },
      uniforms: { parts: slots.length * width, width },
      groups: groupsFor(slots.length * width),
    })
    return backend.makeTensorInfo([], 'float32', new Float32Array(1))
  })
}

/** The rows of x, normalised, into y of the same shape. */
export function normalise(
  backend: GpuBackend,
  x: tf.TensorInfo,
  weight: tf.TensorInfo,
  y: tf.TensorInfo,
  epsilon: number,
): void {
  const [rows, columns] = x.shape as [number, number]
  const part = partOf(columns)
  const width = columns / sizeOf(part)
  const lanes = lanesOf(width)
  backend.dispatch(rmsNorm(part, lanes), {
    reads: { x, weight },
    writes: { y },
    uniforms: { rows, width, start: 0, share: 1 / columns, epsilon },
    groups: Math.ceil(rows / rowsPerGroup(lanes)),
  })
}

/** Rows of x into y. Throws RangeError for a row that x does not have. */
export function gather(backend: GpuBackend, x: tf.TensorInfo, indices: Int32Array, y: tf.TensorInfo): void {
  const [rows, columns] = x.shape as [number, number]
  checkIndices(indices, rows)
  const part = partOf(columns)
  const width = columns / sizeOf(part)
  const table = backend.storedAloneOf(x, part)
  backend.dispatch(gatherRows(part, table.precision), {
    reads: { x: table.tensor, indices: backend.uploadOnce(indices, () => indices) },
    writes: { y },
    uniforms: { parts: indices.length * width, width },
    groups: groupsFor(indices.length * width),
  })
}

/** Where each of `rows` occurs in `indices`: offsets[rows + 1] into the list of places that follows. */
function sourcesOfRows(indices: Int32Array, rows: number): Int32Array {
  const values = new Int32Array(rows + 1 + indices.length)
  for (const row of indices) values[row + 1]!++
  for (let row = 0; row < rows; row++) values[row + 1]! += values[row]!
  const next = values.slice(0, rows)
  for (const [place, row] of indices.entries()) values[rows + 1 + next[row]!++] = place
  return values
}
