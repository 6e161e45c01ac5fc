/**
 * How much a model may keep and run at once, from its shape. Tiny models get the full sizes, which is where batches stop getting
 * faster; larger ones what fits the budget.
 */
import type { ModelConfig } from './config.ts'

export interface BatchSizes {
  /** Tokens whose keys and values are kept for later prompts, at most. */
  cacheSlots: number
  /** Prompt tokens run at once. */
  prefillTokens: number
  /** Tokens run forward and backward at once. */
  microBatchTokens: number
}

const CACHE_BYTES = 256e6
const ACTIVATION_BYTES = 1e9

export function defaultBatchSizes(config: ModelConfig): BatchSizes {
  const { hiddenSize, heads, keyValueHeads, headDim, intermediateSize, layers } = config
  const queryWidth = heads * headDim
  const keyWidth = keyValueHeads * headDim
  const bytesPerSlot = 4 * layers * 2 * keyWidth
  // What the backward pass needs of a layer: two residuals and norms, projections before and after rotation, attention, gate, up and product.
  const bytesPerTrainedToken = 4 * layers * (6 * hiddenSize + 4 * queryWidth + 4 * keyWidth + 4 * intermediateSize)
  return {
    cacheSlots: within(CACHE_BYTES / bytesPerSlot, 4096, 65_536),
    prefillTokens: within((ACTIVATION_BYTES * layers) / bytesPerTrainedToken, 128, 2048),
    microBatchTokens: within(ACTIVATION_BYTES / bytesPerTrainedToken, 128, 4096),
  }
}

function within(wanted: number, least: number, most: number): number {
  return Math.floor(Math.min(most, Math.max(least, wanted)))
}
