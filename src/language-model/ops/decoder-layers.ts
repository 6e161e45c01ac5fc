import type * as tf from '@tensorflow/tfjs-core'
import type { AttentionLayout } from './attention-layout.ts'
import { hasKernel, runKernel } from './backend-kernels.ts'

/** A low-rank change of a projection: s · (x Aᵀ) Bᵀ with a[r, in] and b[out, r]. All of a model have the same rank. */
export interface LowRankChange {
  readonly a: tf.Tensor
  readonly b: tf.Tensor
  readonly scale: number
}

/** weight[out, in], bias[out] */
export interface LayerProjection {
  weight: tf.Tensor
  bias: tf.Tensor | undefined
  adapter: { readonly lowRank: LowRankChange } | null
}

/** A layer's weights; the norms of queries and keys [headDim] are those of Qwen3. */
export interface LayerWeights<Projection extends LayerProjection = LayerProjection> {
  attentionNorm: tf.Tensor1D
  query: Projection
  key: Projection
  value: Projection
  queryNorm: tf.Tensor1D | undefined
  keyNorm: tf.Tensor1D | undefined
  output: Projection
  feedForwardNorm: tf.Tensor1D
  gate: Projection
  up: Projection
  down: Projection
}

export interface DecoderLayersOptions {
  layers: readonly LayerWeights[]
  /** Keys and values [M, Hkv·D] of each layer, written in place at the layout's slots. */
  pools: readonly { keys: tf.Tensor2D; values: tf.Tensor2D }[]
  /** [N] */
  positions: Int32Array
  layout: AttentionLayout
  /** Rows that the last layer finishes, in ascending order; null for all. */
  outputRows: Int32Array | null
  /** The layout of `outputRows` alone, and their positions. */
  lastLayer: { positions: Int32Array; layout: AttentionLayout }
  headDim: number
  inverseFrequencies: Float32Array
  normEpsilon: number
}

/** Whether the backend has `decoderLayers` for heads of this size. */
export function canRunDecoderLayers(headDim: number): boolean {
  return hasKernel('DecoderLayers') && headDim % 4 === 0
}

/**
 * Runs all layers without a gradient, as sampling does: x[N, d] → [outputRows, d]. The same arithmetic as the single operations, in the
 * same order, so the result is the same bit for bit; but TensorFlow.js makes no tensor for each of the hundred intermediate results,
 * which costs more than the arithmetic where a model is small.
 */
export function decoderLayers(x: tf.Tensor2D, options: DecoderLayersOptions): tf.Tensor2D {
  return runKernel<tf.Tensor2D>('DecoderLayers', { x }, { ...options })
}
