/** The size of the shipped models, and their config.json. */

/** config.json without the vocabulary, in Hugging Face's terms. */
export interface ModelShape {
  hidden_size: number
  num_hidden_layers: number
  num_attention_heads: number
  num_key_value_heads: number
  intermediate_size: number
}

/** 340,000 parameters with a thousand words: under 1.5 MB as float32. */
export const SMALL: ModelShape = {
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
