import * as tf from '@tensorflow/tfjs-core'
import type { AttentionLayout } from '../../ops/attention-layout.ts'
import type { FusedKernel } from '../../ops/backend-kernels.ts'
import { angleTables } from './angle-table.ts'
import { attentionForward, attentionStatistics, keyValueGradient, queryGradient } from './attention-code.ts'
import { drawToken } from './draw-code.ts'
import { rope, swiglu, swigluGradient } from './elementwise-code.ts'
import type { GpuBackend } from './gpu-backend.ts'
import { selectLogProbs, selectLogProbsGradient } from './log-prob-code.ts'
import { addLowRank } from './matmul-code.ts'
import { multiplyInto, sumUp } from './matmul.ts'
import { adamw, clipScale, MOST_GRADIENTS, rootOfSum, squares } from './optimizer-code.ts'
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
} from './rows-code.ts'
import { slotReaders } from './slot-readers.ts'
import { joinArrays } from '../../../method/join-arrays.ts'

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

/** Workgroups of programs whose threads compute one part of the result each. */
const groupsFor = (parts: number) => Math.ceil(parts / 64)

/** Most workgroups that process many rows each: enough to fill a device, few enough to add up their sums. */
const MOST_STRAND_GROUPS = 128

interface AttentionAttributes {
  layout: AttentionLayout
  headDim: number
}

/** Registers the kernels of src/language-model/ops; the programs have the mathematics. */
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

  register<{ indices: Int32Array }>('GatherRows', (backend, { x }, { indices }) => {
    const [rows, columns] = x!.shape as [number, number]
    checkIndices(indices, rows)
    const part = partOf(columns)
    const width = columns / sizeOf(part)
    const y = backend.allocate([indices.length, columns])
    const table = backend.storedAloneOf(x!, part)
    backend.dispatch(gatherRows(part, table.precision), {
      reads: { x: table.tensor, indices: backend.uploadOnce(indices, () => indices) },
      writes: { y },
      uniforms: { parts: indices.length * width, width },
      groups: groupsFor(indices.length * width),
    })
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

  register<LogProbAttributes>('SelectedLogProbs', (backend, { hidden, head }, { targets, temperature }) => {
    const [rows, words] = [hidden!.shape[0]!, head!.shape[0]!]
    checkIndices(targets, words)
    const [both, logSumExp] = [backend.allocate([2, rows]), backend.allocate([rows])]
    forEachChunk(backend, hidden!, head!, (logits, first, count) => {
      backend.dispatch(selectLogProbs, {
        reads: { logits, targets: backend.uploadOnce(targets, () => targets) },
        writes: { both, logSumExp },
        uniforms: { rows, words, first, coldness: 1 / temperature },
        groups: count,
      })
    })
    return [both, logSumExp]
  })

  register<LogProbAttributes & { needsHeadGradient: boolean }>(
    'SelectedLogProbsGradient',
    (backend, { dy, hidden, head, logSumExp }, { targets, temperature, needsHeadGradient }) => {
      const [rows, width] = hidden!.shape as [number, number]
      const words = head!.shape[0]!
      const dHidden = backend.allocate([rows, width])
      const dHead = needsHeadGradient ? backend.allocate([words, width]) : null
      forEachChunk(backend, hidden!, head!, (logits, first, count) => {
        backend.dispatch(selectLogProbsGradient, {
          reads: { dy: dy!, logSumExp: logSumExp!, targets: backend.uploadOnce(targets, () => targets) },
          writes: { logits },
          uniforms: { numbers: count * words, words, first, coldness: 1 / temperature },
          groups: groupsFor(count * words),
        })
        multiplyInto(backend, dHidden, {
          a: { tensor: logits, stored: 'rows' },
          b: { tensor: head!, stored: 'columns' },
          m: count,
          n: width,
          k: words,
          start: first * width,
        })
        if (dHead)
          multiplyInto(backend, dHead, {
            a: { tensor: logits, stored: 'columns' },
            b: { tensor: hidden!, stored: 'columns', start: first * width },
            m: words,
            n: width,
            k: count,
            add: first > 0,
          })
      })
      return dHead ? [dHidden, dHead] : [dHidden]
    },
  )

  register<{ rows: Int32Array; numbers: Float32Array; temperature: number }>(
    'DrawTokens',
    (backend, { logits }, { rows, numbers, temperature }) => {
      const [height, words] = logits!.shape as [number, number]
      checkIndices(rows, height)
      const draws = backend.makeTensorInfo([rows.length], 'float32', numbers)
      const drawn = backend.allocate([rows.length, 3])
      backend.dispatch(drawToken, {
        reads: { logits: logits!, rows: backend.uploadOnce(rows, () => rows), numbers: draws },
        writes: { drawn },
        uniforms: { words, isGreedy: temperature === 0 ? 1 : 0, coldness: temperature === 0 ? 1 : 1 / temperature },
        groups: rows.length,
      })
      backend.disposeData(draws.dataId)
      return drawn
    },
  )

  register('GlobalNorm', (backend, inputs) => {
    const gradients = Object.values(inputs).map((tensor) => ({ tensor, size: tf.util.sizeFromShape(tensor.shape) }))
    const vectors = gradients.filter(({ size }) => partOf(size) === 'vec4<f32>')
    const others = gradients.filter(({ size }) => partOf(size) === 'f32')
    const batches = [...inBatches(vectors), ...inBatches(others)].map((batch) => {
      const part = partOf(batch[0]!.size)
      let groups = 0
      const ends = batch.map(({ size }) => (groups += squareGroups(size / sizeOf(part))))
      return { batch, part, ends, groups }
    })
    const count = batches.reduce((sum, { groups }) => sum + groups, 0)
    const sums = backend.allocate([count])
    let first = 0
    for (const { batch, part, ends, groups } of batches) {
      backend.dispatch(squares(batch.length, part), {
        reads: numbered('gradient', batch, ({ tensor }) => tensor),
        writes: { sums },
        uniforms: {
          first,
          ...numbered('parts', batch, ({ size }) => size / sizeOf(part)),
          ...numbered('end', ends, (end) => end),
        },
        groups,
      })
      first += groups
    }
    const norm = backend.allocate([])
    backend.dispatch(rootOfSum, { reads: { sums }, writes: { norm }, uniforms: { count }, groups: 1 })
    backend.disposeData(sums.dataId)
    return norm
  })

  register<{ maximum: number }>('ClipScale', (backend, { norm }, { maximum }) => {
    const scale = backend.allocate([])
    backend.dispatch(clipScale, { reads: { norm: norm! }, writes: { scale }, uniforms: { maximum }, groups: 1 })
    return scale
  })

  register<{
    learningRate: number
    beta1: number
    beta2: number
    epsilon: number
    weightDecay: number
    correction1: number
    correction2: number
  }>('ScaledAdamW', (backend, { parameter, gradient, firstMoment, secondMoment, gradientScale }, settings) => {
    const { learningRate, beta1, beta2, epsilon, weightDecay, correction1, correction2 } = settings
    const size = tf.util.sizeFromShape(parameter!.shape)
    const part = partOf(size)
    const parts = size / sizeOf(part)
    backend.dispatch(adamw(part), {
      reads: { gradient: gradient!, scale: gradientScale! },
      writes: { parameter: parameter!, firstMoment: firstMoment!, secondMoment: secondMoment! },
      uniforms: {
        parts,
        beta1,
        beta2,
        rest1: 1 - beta1,
        rest2: 1 - beta2,
        epsilon,
        keep: 1 - learningRate * weightDecay,
        rate: learningRate / correction1,
        steadiness: 1 / Math.sqrt(correction2),
      },
      groups: groupsFor(parts),
    })
    return backend.makeTensorInfo([], 'float32', new Float32Array(1))
  })
}

/** Workgroups that sum a gradient's squares: each thread sums a few, and one workgroup adds up the sums. */
const squareGroups = (parts: number) => Math.min(64, Math.max(1, Math.ceil(parts / 1024)))

function inBatches<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MOST_GRADIENTS) }, (_, i) =>
    items.slice(i * MOST_GRADIENTS, (i + 1) * MOST_GRADIENTS),
  )
}

const numbered = <T, Value>(name: string, items: readonly T[], value: (item: T) => Value): Record<string, Value> =>
  Object.fromEntries(items.map((item, i) => [`${name}${i}`, value(item)]))

interface LogProbAttributes {
  targets: Int32Array
  temperature: number
}

/** Runs `work` on the logits hidden · headᵀ of all rows, in chunks that fit in memory. */
function forEachChunk(
  backend: GpuBackend,
  hidden: tf.TensorInfo,
  head: tf.TensorInfo,
  work: (logits: tf.TensorInfo, first: number, count: number) => void,
): void {
  const [rows, width] = hidden.shape as [number, number]
  const words = head.shape[0]!
  const most = Math.max(1, Math.floor(backend.mostLogits / words))
  for (let first = 0; first < rows; first += most) {
    const count = Math.min(most, rows - first)
    const logits = backend.allocate([count, words])
    multiplyInto(backend, logits, {
      a: { tensor: hidden, stored: 'rows', start: first * width },
      b: { tensor: head, stored: 'rows' },
      m: count,
      n: words,
      k: width,
    })
    work(logits, first, count)
    backend.disposeData(logits.dataId)
  }
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
    joinArrays(Int32Array, [
      layout.querySegment,
      layout.querySlot,
      layout.segmentStart,
      layout.spanOffsets,
      layout.spanStart,
      layout.spanLength,
    ]),
  )

interface Readers {
  slots: number
  intervals: number
  values: Int32Array
}

/** All layers of a batch share readers, so they are cached as long as the layout lives. */
const readersOfLayout = new WeakMap<AttentionLayout, Readers>()

function readersOf(layout: AttentionLayout, slots: number): Readers {
  const known = readersOfLayout.get(layout)
  if (known?.slots === slots) return known
  const { intervalOfSlot, rangeOffsets, ranges } = slotReaders(layout, slots)
  const made = {
    slots,
    intervals: rangeOffsets.length - 1,
    // One array, because a device may allow a program as few as eight buffers.
    values: joinArrays(Int32Array, [layout.querySlot, intervalOfSlot, rangeOffsets, ranges]),
  }
  readersOfLayout.set(layout, made)
  return made
}

/** Throws for a wrong index, which a device would silently clamp. */
function checkIndices(indices: Int32Array, rows: number): void {
  for (const index of indices) {
    if (index < 0 || index >= rows)
      throw new RangeError(
        `A tensor with ${rows} rows has no row ${index}. Check the ids or slots given to the operation.`,
      )
  }
}
