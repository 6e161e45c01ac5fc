/** The measured models: the shipped one, and random weights in the shapes of larger ones. */
import type { WeightStorage } from '../../language-model/weights/weight-storage.ts'

export interface MeasuredModel {
  /** "135 M" */
  name: string
  /** A config.json; null for the shipped models. */
  configJson: Readonly<Record<string, unknown>> | null
  storage: WeightStorage
  /** Rank of the adapters that are trained; null to train all weights. */
  rank: number | null
}

const LLAMA = {
  model_type: 'llama',
  tie_word_embeddings: true,
  rms_norm_eps: 1e-5,
  rope_theta: 10_000,
  hidden_act: 'silu',
  max_position_embeddings: 2048,
}

/** SmolLM2-135M. */
export const SMOLLM2_135M = {
  ...LLAMA,
  hidden_size: 576,
  num_hidden_layers: 30,
  num_attention_heads: 9,
  num_key_value_heads: 3,
  head_dim: 64,
  intermediate_size: 1536,
  vocab_size: 49_152,
}

export const TEN_MILLION = {
  ...LLAMA,
  hidden_size: 320,
  num_hidden_layers: 8,
  num_attention_heads: 10,
  num_key_value_heads: 5,
  head_dim: 32,
  intermediate_size: 864,
  vocab_size: 2048,
}

/** Qwen2.5-0.5B. */
export const QWEN25_500M = {
  ...LLAMA,
  model_type: 'qwen2',
  rope_theta: 1_000_000,
  hidden_size: 896,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  head_dim: 64,
  intermediate_size: 4864,
  vocab_size: 151_936,
}

const RANK = 16

/** From small to large: what a slow adapter has no time for is the end of the list. */
export const MEASURED_MODELS: readonly MeasuredModel[] = [
  { name: '0.35 M', configJson: null, storage: 'float32', rank: null },
  { name: '10 M', configJson: TEN_MILLION, storage: 'float32', rank: null },
  { name: '135 M', configJson: SMOLLM2_135M, storage: 'float16', rank: RANK },
  { name: '0.5 B', configJson: QWEN25_500M, storage: 'float16', rank: RANK },
]

/** Random weights in half precision under adapters, as the large models have them. */
export const TINY_MODEL: MeasuredModel = {
  name: '0.1 M',
  configJson: {
    ...TEN_MILLION,
    hidden_size: 64,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    intermediate_size: 96,
    vocab_size: 1024,
  },
  storage: 'float16',
  rank: 4,
}

/** "135 M, half precision, LoRA of rank 16" */
export function describeModel({ name, storage, rank }: MeasuredModel): string {
  const stored = { float32: 'single precision', float16: 'half precision', 'four-bit': 'four bits' }[storage]
  return `${name}, ${stored}, ${rank === null ? 'all weights trained' : `LoRA of rank ${rank}`}`
}
