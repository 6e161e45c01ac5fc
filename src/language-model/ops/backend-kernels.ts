import * as tf from '@tensorflow/tfjs-core'

/**
 * The fused kernels a backend may have beyond the stock ones of TensorFlow.js. An operation asks `hasKernel` and, where the
 * current backend lacks the kernel, is composed of stock operations instead.
 */
export type FusedKernel =
  | 'RmsNorm'
  | 'RmsNormGradient'
  | 'RotaryEmbedding'
  | 'SegmentAttention'
  | 'SegmentAttentionGradient'
  | 'SwiGlu'
  | 'SwiGluGradient'
  | 'GatherRows'
  | 'ScatterAddRows'
  | 'SelectedLogProbs'
  | 'SelectedLogProbsGradient'
  | 'WriteRows'
  | 'AdamW'
  | 'ScaledAdamW'
  | 'SumOfSquares'
  | 'GlobalNorm'
  | 'ClipScale'

export function hasKernel(name: FusedKernel): boolean {
  return Boolean(tf.getKernel(name, tf.getBackend()))
}

/** Runs a fused kernel of the current backend. Attributes may be typed arrays, which TensorFlow.js passes through untouched although its types do not say so. */
export function runKernel<T extends tf.Tensor | tf.Tensor[]>(
  name: FusedKernel,
  inputs: Record<string, tf.Tensor>,
  attributes: Record<string, unknown> = {},
): T {
  return tf.engine().runKernel<T>(name, inputs, attributes as unknown as tf.NamedAttrMap)
}
