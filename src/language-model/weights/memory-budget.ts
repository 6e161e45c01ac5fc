/**
 * How much a model may cache and run at once, from its shape. Tiny models get the full sizes, beyond which batches get no faster;
 * larger models get what fits the budget.
 */
import type { BackendName } from '../backends/backend.ts'
import type { ModelConfig } from '../files/config.ts'

export interface BatchSizes {
  /** Most tokens whose keys and values are cached for later prompts. */
  cacheSlots: number
  /** Prompt tokens run at once. */
  prefillTokens: number
  /** Tokens run forward and backward at once. */
  microBatchTokens: number
  /** Whether layers keep only their inputs and run again in the backward pass: a third more work, for a fraction of the memory. */
  recomputeActivations: boolean
}

/**
 * A graphics device runs a step of hundreds of rows about as fast as one of few, so there it pays to sample from more prompts at once. The
 * cache is freed before training takes as much for activations.
 */
const CACHE_BYTES: Record<BackendName, number> = { cpu: 256e6, webgpu: 1e9 }
const MOST_CACHE_SLOTS = 65_536
const ACTIVATION_BYTES = 1e9
/** A trajectory runs as a whole, so a model that cannot keep the activations of this many tokens recomputes them. */
const TRAJECTORY_TOKENS = 2048

/** Bytes that a token takes, by what happens to it. */
export interface TokenBytes {
  /** Cached: keys and values of all layers. */
  cached: number
  /** Read as part of a prompt, in one layer at a time. */
  read: number
  /** Run forward and backward, activations kept. */
  trained: number
  /** The same, activations recomputed. */
  recomputed: number
}

export function bytesPerToken(config: ModelConfig): TokenBytes {
  const { hiddenSize, heads, keyValueHeads, headDim, intermediateSize, layers } = config
  const queryWidth = heads * headDim
  const keyWidth = keyValueHeads * headDim
  // The backward pass needs of a layer: two residuals and norms, projections before and after rotation, attention, gate, up and product.
  const ofLayer = 4 * (6 * hiddenSize + 4 * queryWidth + 4 * keyWidth + 4 * intermediateSize)
  // Each has a gradient, which TensorFlow.js keeps until the recorded backward pass ends: that of all layers, or of one.
  const ofTrainedLayer = 2 * ofLayer
  return {
    cached: 4 * layers * 2 * keyWidth,
    read: ofLayer,
    trained: layers * ofTrainedLayer,
    recomputed: ofTrainedLayer + 4 * layers * hiddenSize,
  }
}

export function defaultBatchSizes(
  config: ModelConfig,
  wishes: Partial<Pick<BatchSizes, 'recomputeActivations'>> & { cacheSharers?: number; backend?: BackendName } = {},
): BatchSizes {
  const { cached, read, trained, recomputed } = bytesPerToken(config)
  const { cacheSharers = 1, backend = 'cpu' } = wishes
  const recomputeActivations = wishes.recomputeActivations ?? ACTIVATION_BYTES / trained < TRAJECTORY_TOKENS
  return {
    cacheSlots: within(
      Math.min(CACHE_BYTES[backend] / cached, MOST_CACHE_SLOTS) / cacheSharers,
      4096,
      MOST_CACHE_SLOTS,
    ),
    prefillTokens: within(ACTIVATION_BYTES / read, 128, 2048),
    microBatchTokens: within(ACTIVATION_BYTES / (recomputeActivations ? recomputed : trained), 128, 4096),
    recomputeActivations,
  }
}

function within(wanted: number, least: number, most: number): number {
  return Math.floor(Math.min(most, Math.max(least, wanted)))
}
