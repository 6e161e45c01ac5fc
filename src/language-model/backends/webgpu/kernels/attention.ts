import * as tf from '@tensorflow/tfjs-core'
import { joinArrays } from '../../../../method/join-arrays.ts'
import type { AttentionLayout } from '../../../ops/attention-layout.ts'
import { attentionForward, attentionStatistics, keyValueGradient, queryGradient } from '../attention-code.ts'
import type { GpuBackend } from '../gpu-backend.ts'
import { slotReaders } from '../slot-readers.ts'
import { groupsFor, register } from './register-kernel.ts'

interface AttentionAttributes {
  layout: AttentionLayout
  headDim: number
}

export function registerAttentionKernels(): void {
  register<AttentionAttributes>('SegmentAttention', (backend, { q, k, v }, { layout, headDim }) => {
    const { queries, heads } = sizesOf(q!, k!, headDim)
    const [output, logSumExp] = [backend.allocate(q!.shape), backend.allocate([queries, heads])]
    attend(backend, { q: q!, k: k!, v: v!, output, logSumExp }, layout, headDim)
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
}

/** Runs `logSumExp`.shape[0] queries, the first rows of q, which may have more. */
export function attend(
  backend: GpuBackend,
  { q, k, v, output, logSumExp }: Record<'q' | 'k' | 'v' | 'output' | 'logSumExp', tf.TensorInfo>,
  layout: AttentionLayout,
  headDim: number,
): void {
  const [queries, heads] = logSumExp.shape as [number, number]
  const keyHeads = k.shape[1]! / headDim
  backend.dispatch(attentionForward(headDim), {
    reads: { q, k, v, places: upload(backend, layout) },
    writes: { output, logSumExp },
    uniforms: { queries, heads, keyHeads, ...layoutSizes(layout), scale: 1 / Math.sqrt(headDim) },
    groups: queries * heads,
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
