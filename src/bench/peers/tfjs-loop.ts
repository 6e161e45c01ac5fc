/**
 * The stock wasm backend instead of ours under our transformer: every operation is then composed of stock ones. The one kernel that it
 * lacks for these is made of two others.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { LoopBackend } from '../loop-iteration.ts'
import { startTfjs } from './tfjs-backend.ts'

/**
 * Smaller batches than ours: its attention is dense, every query over every slot of the cache and every token of a micro-batch over
 * all others, so our batches would take it ten times as long.
 */
const BATCHES = { cacheSlots: 2048, prefillTokens: 512, microBatchTokens: 512 }

export function tfjsLoopBackend(): LoopBackend {
  return {
    name: 'tfjs wasm',
    batches: BATCHES,
    async start() {
      const started = await startTfjs('wasm')
      addSegmentSum()
      const { cacheSlots, prefillTokens, microBatchTokens } = BATCHES
      const batches = `${cacheSlots} slots, ${prefillTokens} and ${microBatchTokens} tokens at once`
      return { ...started, note: `${started.note}; ${batches}` }
    },
  }
}

/** The gradient of `gather`, which sums rows by index, with `scatterND`, which the backend has. */
function addSegmentSum(): void {
  if (tf.getKernel(tf.UnsortedSegmentSum, 'wasm')) return
  const [scatter, reshape] = [tf.getKernel(tf.ScatterNd, 'wasm'), tf.getKernel(tf.Reshape, 'wasm')]
  tf.registerKernel({
    kernelName: tf.UnsortedSegmentSum,
    backendName: 'wasm',
    kernelFunc({ inputs, backend, attrs }) {
      const { x, segmentIds } = inputs as Record<'x' | 'segmentIds', tf.TensorInfo>
      const { numSegments } = attrs as unknown as tf.UnsortedSegmentSumAttrs
      const indices = reshape.kernelFunc({
        inputs: { x: segmentIds },
        backend,
        attrs: { shape: [...segmentIds.shape, 1] },
      }) as tf.TensorInfo
      const shape = [numSegments, ...x.shape.slice(1)]
      const sums = scatter.kernelFunc({ inputs: { indices, updates: x }, backend, attrs: { shape } })
      ;(backend as tf.KernelBackend).disposeData(indices.dataId)
      return sums
    },
  })
}
