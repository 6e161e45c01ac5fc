import * as tf from '@tensorflow/tfjs-core'
import type { AttentionLayout } from '../../ops/attention-layout.ts'
import type { FusedKernel } from '../../ops/backend-kernels.ts'
import { angleTable } from './angle-table.ts'
import { attentionForward, attentionStatistics, keyValueGradient, queryGradient } from './attention-code.ts'
import { rope, swiglu, swigluGradient } from './elementwise-code.ts'
import type { GpuBackend } from './gpu-backend.ts'
import { lanesOf, partOf, rmsNorm, rmsNormGradient, rowsPerGroup, sizeOf, sumStrands, writeRows } from './rows-code.ts'
import { slotReaders } from './slot-readers.ts'

type Inputs = Record<string, tf.TensorInfo>

function register<Attributes>(
  kernelName: FusedKernel,
  run: (backend: GpuBackend, inputs: Inputs, attributes: Attributes) => tf.TensorInfo | tf.TensorInfo[],
): void {
  tf.registerKernel({
    kernelName,
    backendName: 'webgpu',
    kernelFunc: ({ inputs, backend, attrs }) =>
      run(backend as GpuBackend, inputs as Inputs, attrs as unknown as Attributes),
  })
}

/** Workgroups of the programs in which each thread has one part of the result. */
const groupsFor = (parts: number) => Math.ceil(parts / 64)

/** Workgroups that go through many rows each: enough to fill a device, and few sums to add up afterwards. */
const MOST_STRAND_GROUPS = 128

interface AttentionAttributes {
  layout: AttentionLayout
  headDim: number
}

/** The kernels behind src/language-model/ops, one by one; the mathematics is in the programs. */
export function registerFusedKernels(): void {
  register<{ epsilon: number }>('RmsNorm', (backend, { x, weight }, { epsilon }) => {
    const [rows, columns] = x!.shape as [number, number]
    const part = partOf(columns)
    const width = columns / sizeOf(part)
    const lanes = lanesOf(width)
    const y = backend.allocate(x!.shape)
    backend.dispatch(rmsNorm(part, lanes), {
      reads: { x: x!, weight: weight! },
      writes: { y },
      uniforms: { rows, width, share: 1 / columns, epsilon },
      groups: Math.ceil(rows / rowsPerGroup(lanes)),
    })
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
    const sumLanes = lanesOf(strands)
    backend.dispatch(sumStrands(part, sumLanes), {
      reads: { x: weightSums },
      writes: { y: dw },
      uniforms: { strands, columns: width, add: 0 },
      groups: Math.ceil(width / rowsPerGroup(sumLanes)),
    })
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
      const table = angleTable(backend, inverseFrequencies, positions)
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
      uniforms: { parts },
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

  register<AttentionAttributes>('SegmentAttention', (backend, { q, k, v }, { layout, headDim }) => {
    const { queries, heads, keyHeads } = sizesOf(q!, k!, headDim)
    const [output, logSumExp] = [backend.allocate(q!.shape), backend.allocate([queries, heads])]
    backend.dispatch(attentionForward(headDim), {
      reads: { q: q!, k: k!, v: v!, places: upload(backend, layout) },
      writes: { output, logSumExp },
      uniforms: { queries, heads, keyHeads, ...layoutSizes(layout), scale: 1 / Math.sqrt(headDim) },
      groups: queries * heads,
    })
    return [output, logSumExp]
  })

  register<AttentionAttributes>(
    'SegmentAttentionGradient',
    (backend, { dy, q, k, v, output, logSumExp }, { layout, headDim }) => {
      const { queries, heads, keyHeads, slots } = sizesOf(q!, k!, headDim)
      const scale = 1 / Math.sqrt(headDim)
      const statistics = backend.allocate([queries, heads, 2])
      backend.dispatch(attentionStatistics(headDim), {
        reads: { dy: dy!, output: output!, logSumExp: logSumExp! },
        writes: { statistics },
        uniforms: { pairs: queries * heads },
        groups: groupsFor(queries * heads),
      })
      const [dq, dk, dv] = [backend.allocate(q!.shape), backend.allocate(k!.shape), backend.allocate(v!.shape)]
      const reads = { dy: dy!, q: q!, k: k!, v: v!, statistics }
      backend.dispatch(queryGradient(headDim), {
        reads: { ...reads, places: upload(backend, layout) },
        writes: { dq },
        uniforms: { queries, heads, keyHeads, ...layoutSizes(layout), scale },
        groups: queries * heads,
      })
      const known = readersOf(layout, slots)
      backend.dispatch(keyValueGradient(headDim), {
        reads: { ...reads, readers: backend.uploadOnce(known, () => known.values) },
        writes: { dk, dv },
        uniforms: { queries, heads, keyHeads, slots, intervals: known.intervals, scale },
        groups: slots * keyHeads,
      })
      backend.disposeData(statistics.dataId)
      return [dq, dk, dv]
    },
  )

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

function sizesOf(q: tf.TensorInfo, k: tf.TensorInfo, headDim: number) {
  const [queries, queryWidth] = q.shape as [number, number]
  const [slots, keyWidth] = k.shape as [number, number]
  return { queries, slots, heads: queryWidth / headDim, keyHeads: keyWidth / headDim }
}

const layoutSizes = ({ segmentStart, spanStart }: AttentionLayout) => ({
  segments: segmentStart.length,
  spans: spanStart.length,
})

const upload = (backend: GpuBackend, layout: AttentionLayout) =>
  backend.uploadOnce(layout, () =>
    joined(
      layout.querySegment,
      layout.querySlot,
      layout.segmentStart,
      layout.spanOffsets,
      layout.spanStart,
      layout.spanLength,
    ),
  )

interface Readers {
  slots: number
  intervals: number
  values: Int32Array
}

/** Every layer of a batch has the same readers, so they are kept while the layout lives. */
const readersOfLayout = new WeakMap<AttentionLayout, Readers>()

function readersOf(layout: AttentionLayout, slots: number): Readers {
  const known = readersOfLayout.get(layout)
  if (known?.slots === slots) return known
  const { intervalOfSlot, rangeOffsets, ranges } = slotReaders(layout, slots)
  const made = {
    slots,
    intervals: rangeOffsets.length - 1,
    values: joined(layout.querySlot, intervalOfSlot, rangeOffsets, ranges),
  }
  readersOfLayout.set(layout, made)
  return made
}

/** Arrays one after the other: a device may allow a program as few as eight buffers. */
function joined(...arrays: Int32Array[]): Int32Array {
  const values = new Int32Array(arrays.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const array of arrays) {
    values.set(array, at)
    at += array.length
  }
  return values
}

/** A device cuts a wrong index to one that exists and says nothing, so it is an error here. */
function checkIndices(indices: Int32Array, rows: number): void {
  for (const index of indices) {
    if (index < 0 || index >= rows)
      throw new RangeError(
        `Row ${index} was asked of a tensor with ${rows} rows. Check the ids or slots given to the operation.`,
      )
  }
}
