import * as tf from '@tensorflow/tfjs-core'

/**
 * Fused kernels that a backend may have beyond TensorFlow.js's stock kernels. An operation without its kernel (`hasKernel`) falls
 * back to stock operations.
 */
export type FusedKernel =
  | 'RmsNorm'
  | 'RmsNormGradient'
  | 'RotaryEmbedding'
  | 'SegmentAttention'
  | 'SegmentAttentionGradient'
  | 'AddLowRank'
  | 'DecoderLayers'
  | 'DrawTokens'
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

/** Runs a fused kernel of the current backend. Attributes may be typed arrays: TensorFlow.js passes them through, though its types do not say so. */
export function runKernel<T extends tf.Tensor | tf.Tensor[]>(
  name: FusedKernel,
  inputs: Record<string, tf.Tensor>,
  attributes: Record<string, unknown> = {},
): T {
  return tf.engine().runKernel<T>(name, inputs, attributes as unknown as tf.NamedAttrMap)
}
