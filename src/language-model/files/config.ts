/**
 * The shape of a Llama-family decoder, read from Hugging Face's `config.json`.
 *
 * One description covers Llama and SmolLM2 (plain), Qwen2.5 (biases on the query, key and value projections, which its config does
 * not mention) and Qwen3 (a norm on every query and key head). Unsupported models are refused here, before their weights load.
 */
import * as v from 'valibot'

export interface ModelConfig {
  hiddenSize: number
  layers: number
  heads: number
  /** Key/value heads; each serves heads / keyValueHeads query heads. */
  keyValueHeads: number
  headDim: number
  intermediateSize: number
  vocabularySize: number
  ropeTheta: number
  ropeScaling: Llama3RopeScaling | null
  normEpsilon: number
  /** The output layer is the embedding table. */
  tiedEmbeddings: boolean
  queryKeyValueBias: boolean
  outputBias: boolean
  queryKeyNorm: boolean
  /** Most tokens of prompt and response together. */
  maxPositions: number
  /** Tokens that end a completion. */
  eosTokens: readonly number[]
  /** Standard deviation of fresh weights; null scales each matrix by its width. */
  initializerRange: number | null
}

/** Llama 3.1's stretching of the low rotary frequencies to longer contexts. */
export interface Llama3RopeScaling {
  factor: number
  lowFrequencyFactor: number
  highFrequencyFactor: number
  originalPositions: number
}

export class ModelConfigError extends Error {
  override name = 'ModelConfigError'
}

const count = v.pipe(v.number(), v.integer(), v.minValue(1))
const positive = v.pipe(v.number(), v.finite(), v.gtValue(0))
const token = v.pipe(v.number(), v.integer(), v.minValue(0))

/** Qwen3's default where config.json has no head_dim. */
const QWEN3_HEAD_DIM = 128

const ropeSchema = v.looseObject({
  rope_type: v.optional(v.string()),
  type: v.optional(v.string()),
  rope_theta: v.optional(positive),
  factor: v.optional(positive),
  low_freq_factor: v.optional(positive),
  high_freq_factor: v.optional(positive),
  original_max_position_embeddings: v.optional(count),
  partial_rotary_factor: v.optional(positive),
})

const configSchema = v.looseObject({
  model_type: v.optional(v.string(), 'llama'),
  hidden_size: count,
  num_hidden_layers: count,
  num_attention_heads: count,
  num_key_value_heads: v.nullish(count),
  head_dim: v.nullish(count),
  intermediate_size: count,
  vocab_size: count,
  rope_theta: v.optional(positive, 10_000),
  rope_scaling: v.nullish(ropeSchema),
  rope_parameters: v.nullish(ropeSchema),
  rms_norm_eps: v.optional(positive, 1e-6),
  tie_word_embeddings: v.optional(v.boolean(), false),
  attention_bias: v.optional(v.boolean(), false),
  mlp_bias: v.optional(v.boolean(), false),
  hidden_act: v.optional(v.string(), 'silu'),
  use_sliding_window: v.nullish(v.boolean(), false),
  sliding_window: v.nullish(count),
  layer_types: v.nullish(v.array(v.string())),
  partial_rotary_factor: v.optional(positive),
  quantization_config: v.nullish(v.looseObject({ quant_method: v.optional(v.string()) })),
  max_position_embeddings: v.optional(count, 2048),
  eos_token_id: v.nullish(v.union([token, v.array(token)])),
  initializer_range: v.nullish(positive),
})

const MODEL_TYPES = ['llama', 'qwen2', 'qwen3'] as const

/** Reads config.json's object; `source` names the model in errors. Throws ModelConfigError with the key. */
export function parseModelConfig(json: unknown, source: string): ModelConfig {
  const refuse = (what: string): never => {
    throw new ModelConfigError(`Model "${source}" ${what}. Choose a Llama, SmolLM2, Qwen2.5 or Qwen3 checkpoint.`)
  }
  // First, because other architectures have other keys.
  const typed = v.safeParse(v.looseObject({ model_type: v.string() }), json)
  if (typed.success && !MODEL_TYPES.some((known) => known === typed.output.model_type))
    refuse(`is of type "${typed.output.model_type}", which this transformer does not implement`)
  const parsed = v.safeParse(configSchema, json)
  if (!parsed.success) {
    const issue = parsed.issues[0]
    throw new ModelConfigError(
      `config.json of "${source}" cannot be read: ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}. Take the file from the model's own repository.`,
    )
  }
  const raw = parsed.output
  if (raw.hidden_act !== 'silu') refuse(`uses the activation "${raw.hidden_act}", but only silu is implemented`)
  if (raw.mlp_bias) refuse('has biases in its feed-forward layers, which are not implemented')
  // Qwen names a window that it does not use; other models use the window that they name.
  const hasWindow = raw.model_type === 'llama' ? (raw.sliding_window ?? null) !== null : raw.use_sliding_window
  if (hasWindow || raw.layer_types?.some((type) => type !== 'full_attention'))
    refuse('attends through a sliding window, which is not implemented')
  if ((raw.rope_parameters?.partial_rotary_factor ?? raw.partial_rotary_factor ?? 1) !== 1)
    refuse('rotates only a part of each head, which is not implemented')
  if (raw.quantization_config)
    throw new ModelConfigError(
      `Model "${source}" is quantised (${raw.quantization_config.quant_method ?? 'by an unnamed method'}), but only checkpoints in bfloat16, float16 or float32 can be read. Use the model that it was made from.`,
    )

  const heads = raw.num_attention_heads
  const keyValueHeads = raw.num_key_value_heads ?? heads
  const headDim = raw.head_dim ?? (raw.model_type === 'qwen3' ? QWEN3_HEAD_DIM : raw.hidden_size / heads)
  if (heads % keyValueHeads !== 0)
    refuse(`has ${heads} query heads for ${keyValueHeads} key/value heads, which do not divide evenly`)
  if (!Number.isInteger(headDim) || headDim % 2 !== 0)
    refuse(`has heads of ${headDim} features, but rotary embeddings need an even number`)

  const rope = raw.rope_parameters ?? raw.rope_scaling
  const ropeType = rope?.rope_type ?? rope?.type ?? 'default'
  if (ropeType !== 'default' && ropeType !== 'llama3')
    refuse(`scales its rotary embedding by "${ropeType}", which is not implemented`)
  const eos = raw.eos_token_id ?? []
  return {
    hiddenSize: raw.hidden_size,
    layers: raw.num_hidden_layers,
    heads,
    keyValueHeads,
    headDim,
    intermediateSize: raw.intermediate_size,
    vocabularySize: raw.vocab_size,
    ropeTheta: raw.rope_parameters?.rope_theta ?? raw.rope_theta,
    ropeScaling: ropeType === 'llama3' && rope ? llama3Scaling(rope, source) : null,
    normEpsilon: raw.rms_norm_eps,
    tiedEmbeddings: raw.tie_word_embeddings,
    queryKeyValueBias: raw.attention_bias || raw.model_type === 'qwen2',
    outputBias: raw.attention_bias && raw.model_type !== 'qwen2',
    queryKeyNorm: raw.model_type === 'qwen3',
    maxPositions: raw.max_position_embeddings,
    eosTokens: typeof eos === 'number' ? [eos] : eos,
    initializerRange: raw.initializer_range ?? null,
  }
}

function llama3Scaling(rope: v.InferOutput<typeof ropeSchema>, source: string): Llama3RopeScaling {
  const given = (
    key: 'factor' | 'low_freq_factor' | 'high_freq_factor' | 'original_max_position_embeddings',
  ): number => {
    const value = rope[key]
    if (value === undefined)
      throw new ModelConfigError(
        `config.json of "${source}" scales the rotary embedding by "llama3" without ${key}. Take the file from the model's own repository.`,
      )
    return value
  }
  return {
    factor: given('factor'),
    lowFrequencyFactor: given('low_freq_factor'),
    highFrequencyFactor: given('high_freq_factor'),
    originalPositions: given('original_max_position_embeddings'),
  }
}

/**
 * Rotary frequencies θ^(-2i/D) for i < D/2, with Llama 3.1's scaling where the config asks for it: wavelengths beyond the original
 * context are stretched by `factor`, short ones are kept, and those between are blended.
 */
export function inverseFrequencies(config: ModelConfig): Float32Array {
  const half = config.headDim / 2
  return Float32Array.from({ length: half }, (_, i) => {
    const frequency = config.ropeTheta ** (-i / half)
    const scaling = config.ropeScaling
    if (!scaling) return frequency
    const turns = (scaling.originalPositions * frequency) / (2 * Math.PI)
    const blend = (turns - scaling.lowFrequencyFactor) / (scaling.highFrequencyFactor - scaling.lowFrequencyFactor)
    const kept = Math.min(1, Math.max(0, blend))
    return kept * frequency + (1 - kept) * (frequency / scaling.factor)
  })
}
