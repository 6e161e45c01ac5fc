/**
 * How the three shipped household models are made. Chosen so that they start about where the paper's models start:
 * a policy that solves 35 to 45 % of the held-out tasks, and a reward model that is right about 50 to 75 % of the steps.
 */
import type { PolicyRecipe, RewardRecipe } from './household-corpus.ts'
import type { TrainingPlan } from './supervised-training.ts'

/** config.json without the vocabulary, in Hugging Face's terms. */
export interface ModelShape {
  hidden_size: number
  num_hidden_layers: number
  num_attention_heads: number
  num_key_value_heads: number
  intermediate_size: number
}

const SMALL: ModelShape = {
  hidden_size: 96,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 256,
}

export function configJson(shape: ModelShape, vocabularySize: number, endOfResponse: number): Record<string, unknown> {
  return {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    ...shape,
    head_dim: shape.hidden_size / shape.num_attention_heads,
    vocab_size: vocabularySize,
    max_position_embeddings: 4096,
    rope_theta: 10000,
    rms_norm_eps: 1e-5,
    hidden_act: 'silu',
    tie_word_embeddings: true,
    attention_bias: false,
    mlp_bias: false,
    eos_token_id: endOfResponse,
    torch_dtype: 'float32',
  }
}

export const POLICY = {
  shape: SMALL,
  corpus: { slip: 0.5, maxSteps: 20, hints: 0.25 } satisfies PolicyRecipe,
  plan: { steps: 1500, episodesPerStep: 16, peakLearningRate: 3e-3, weightDecay: 0.01 } satisfies TrainingPlan,
}

export const REWARD = {
  shape: SMALL,
  corpus: { slips: [0.2, 0.8], maxSteps: 20, hints: 0.1, error: 0.35 } satisfies RewardRecipe,
  plan: { steps: 1200, episodesPerStep: 16, peakLearningRate: 3e-3, weightDecay: 0.01 } satisfies TrainingPlan,
}
