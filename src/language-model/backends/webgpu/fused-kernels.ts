import * as tf from '@tensorflow/tfjs-core'
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'
import type { AttentionLayout } from '../../ops/attention-layout.ts'
import type { FusedKernel } from '../../ops/backend-kernels.ts'
import {
  forwardCode,
  keyValueGradientCode,
  queryGradientCode,
  statisticsCode,
  threadsFor,
  unpackCode,
} from './attention-code.ts'
import { flatProgram, type ProgramParts } from './program.ts'
import { slotReaders } from './slot-readers.ts'

type Inputs = Record<string, tf.TensorInfo>

function register<Attributes>(
  kernelName: FusedKernel,
  run: (backend: WebGPUBackend, inputs: Inputs, attributes: Attributes) => tf.TensorInfo | tf.TensorInfo[],
): void {
  tf.registerKernel({
    kernelName,
    backendName: 'webgpu',
    kernelFunc: ({ inputs, backend, attrs }) =>
      run(backend as WebGPUBackend, inputs as Inputs, attrs as unknown as Attributes),
  })
}

interface AttentionAttributes {
  layout: AttentionLayout
  headDim: number
}

/** Memory linear in the batch where the composition would need a mask of queries by slots, and a cache written in place. */
export function registerFusedKernels(): void {
  // The second result is what the gradient kernel gets back: output and log-sum-exp in one tensor.
  register<AttentionAttributes>('SegmentAttention', (backend, { q, k, v }, { layout, headDim }) => {
    const { queries, heads, keyHeads } = sizesOf(q!, k!, headDim)
    const places = layoutTensor(backend, layout)
    const threads = threadsFor(headDim * 4 + 8)
    const packed = run(backend, [q!, k!, v!, places], {
      name: `segmentAttention${headDim}`,
      inputs: { q: 4, k: 4, v: 4, places: 1 },
      outputShape: [queries, heads * (headDim + 4)],
      outputComponent: 4,
      uniforms: { queries, heads, keyHeads, ...layoutSizes(layout), scale: 1 / Math.sqrt(headDim) },
      threads,
      workgroups: queries * heads,
      code: forwardCode(headDim, threads),
    })
    backend.disposeData(places.dataId)
    return [unpack(backend, packed, headDim, headDim + 4, 0), packed]
  })

  register<AttentionAttributes>(
    'SegmentAttentionGradient',
    (backend, { dy, q, k, v, logSumExp: packed }, { layout, headDim }) => {
      const { queries, heads, keyHeads, slots } = sizesOf(q!, k!, headDim)
      const scale = 1 / Math.sqrt(headDim)
      const statistics = run(backend, [dy!, packed!], {
        name: `segmentAttentionStatistics${headDim}`,
        inputs: { dy: 4, packed: 4 },
        outputShape: [queries, heads * 4],
        outputComponent: 4,
        uniforms: { pairs: queries * heads },
        threads: 64,
        workgroups: Math.ceil((queries * heads) / 64),
        code: statisticsCode(headDim, 64),
      })
      const places = layoutTensor(backend, layout)
      const queryThreads = threadsFor(headDim * 4)
      const dq = run(backend, [dy!, q!, k!, v!, statistics, places], {
        name: `segmentAttentionQueryGradient${headDim}`,
        inputs: { dy: 4, q: 4, k: 4, v: 4, statistics: 4, places: 1 },
        outputShape: q!.shape,
        outputComponent: 4,
        uniforms: { queries, heads, keyHeads, ...layoutSizes(layout), scale },
        threads: queryThreads,
        workgroups: queries * heads,
        code: queryGradientCode(headDim, queryThreads),
      })
      const { intervalOfSlot, rangeOffsets, ranges } = slotReaders(layout, slots)
      const readers = int32Tensor(backend, layout.querySlot, intervalOfSlot, rangeOffsets, ranges)
      const slotThreads = threadsFor(2 * headDim * 4)
      const both = run(backend, [dy!, q!, k!, v!, statistics, readers], {
        name: `segmentAttentionKeyValueGradient${headDim}`,
        inputs: { dy: 4, q: 4, k: 4, v: 4, statistics: 4, readers: 1 },
        outputShape: [slots, keyHeads * 2 * headDim],
        outputComponent: 4,
        uniforms: { queries, heads, keyHeads, slots, intervals: rangeOffsets.length - 1, scale },
        threads: slotThreads,
        workgroups: slots * keyHeads,
        code: keyValueGradientCode(headDim, slotThreads),
      })
      const dk = unpack(backend, both, headDim, 2 * headDim, 0)
      const dv = unpack(backend, both, headDim, 2 * headDim, headDim)
      for (const { dataId } of [statistics, places, readers, both]) backend.disposeData(dataId)
      return [dq, dk, dv]
    },
  )

  register<{ slots: Int32Array }>('WriteRows', (backend, { pool, rows }, { slots }) => {
    const width = pool!.shape[1]!
    const component = width % 4 === 0 ? 4 : 1
    const elements = (slots.length * width) / component
    const places = int32Tensor(backend, slots)
    backend.uploadToGPU(pool!.dataId)
    // A copy that was read earlier would be of the old values.
    Object.assign(backend.tensorMap.get(pool!.dataId), { values: null })
    run(
      backend,
      [rows!, places],
      {
        name: `writeRows${component}`,
        inputs: { rows: component, places: 1 },
        outputShape: pool!.shape,
        outputComponent: component,
        uniforms: { elements, width: width / component },
        threads: 64,
        workgroups: Math.ceil(elements / 64),
        code: `
          fn main(index : i32) {
            if (index < uniforms.elements) {
              result[places[index / uniforms.width] * uniforms.width + index % uniforms.width] = rows[index];
            }
          }
        `,
      },
      pool,
    )
    backend.disposeData(places.dataId)
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

const layoutTensor = (backend: WebGPUBackend, layout: AttentionLayout) =>
  int32Tensor(
    backend,
    layout.querySegment,
    layout.querySlot,
    layout.segmentStart,
    layout.spanOffsets,
    layout.spanStart,
    layout.spanLength,
  )

/** Arrays one after the other in one tensor: a device may allow a program as few as eight. */
function int32Tensor(backend: WebGPUBackend, ...arrays: Int32Array[]): tf.TensorInfo {
  const values = new Int32Array(arrays.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const array of arrays) {
    values.set(array, at)
    at += array.length
  }
  return backend.makeTensorInfo([values.length], 'int32', values)
}

function unpack(
  backend: WebGPUBackend,
  packed: tf.TensorInfo,
  headDim: number,
  width: number,
  first: number,
): tf.TensorInfo {
  const [rows, packedWidth] = packed.shape as [number, number]
  const outputShape = [rows, (packedWidth / width) * headDim]
  const vectors = (rows * outputShape[1]!) / 4
  return run(backend, [packed], {
    name: `unpack${headDim}`,
    inputs: { packed: 4 },
    outputShape,
    outputComponent: 4,
    uniforms: { vectors, width: width / 4, first: first / 4 },
    threads: 64,
    workgroups: Math.ceil(vectors / 64),
    code: unpackCode(headDim, 64),
  })
}

function run(
  backend: WebGPUBackend,
  inputs: tf.TensorInfo[],
  { uniforms, ...parts }: Omit<ProgramParts, 'uniforms'> & { uniforms: Record<string, number> },
  output?: tf.TensorInfo,
): tf.TensorInfo {
  return backend.runWebGPUProgram(
    flatProgram({ ...parts, uniforms: Object.keys(uniforms) }),
    inputs,
    'float32',
    Object.entries(uniforms).map(([name, value]) => ({ type: name === 'scale' ? 'float32' : 'int32', data: [value] })),
    output,
  )
}
