/** The measured models and their inputs: fresh weights and random tokens, the same for all subjects and every time. */
import { type ModelConfig, parseModelConfig } from '../language-model/files/config.ts'
import { initialWeights } from '../language-model/weights/parameters.ts'
import { randomStream } from '../language-model/sampling/random-stream.ts'
import { joinArrays } from '../method/join-arrays.ts'

export interface BenchShape {
  hiddenSize: number
  layers: number
  heads: number
  keyValueHeads: number
  intermediateSize: number
  vocabularySize: number
}

/** The model of the targets: a Llama of 0.94 million parameters, about the size of the shipped models. */
export const REFERENCE_SHAPE: BenchShape = {
  hiddenSize: 128,
  layers: 4,
  heads: 4,
  keyValueHeads: 4,
  intermediateSize: 352,
  vocabularySize: 1024,
}

export interface BenchModel {
  /** A config.json for peers that read one. */
  configJson: Readonly<Record<string, unknown>>
  config: ModelConfig
  /** By their names in a model folder. */
  weights: ReadonlyMap<string, Float32Array>
  parameters: number
}

const MAX_POSITIONS = 4096

export function benchModel(shape: BenchShape): BenchModel {
  const configJson = {
    model_type: 'llama',
    architectures: ['LlamaForCausalLM'],
    hidden_size: shape.hiddenSize,
    num_hidden_layers: shape.layers,
    num_attention_heads: shape.heads,
    num_key_value_heads: shape.keyValueHeads,
    head_dim: shape.hiddenSize / shape.heads,
    intermediate_size: shape.intermediateSize,
    vocab_size: shape.vocabularySize,
    tie_word_embeddings: true,
    rms_norm_eps: 1e-6,
    rope_theta: 10_000,
    hidden_act: 'silu',
    max_position_embeddings: MAX_POSITIONS,
  }
  const config = parseModelConfig(configJson, 'the benchmark model')
  const weights = initialWeights(config, 1)
  const parameters = [...weights.values()].reduce((sum, { length }) => sum + length, 0)
  return { configJson, config, weights, parameters }
}

/** Sequences of equal length, and each token's successor. */
export interface TokenBatch {
  sequences: number
  length: number
  /** [sequences · length] */
  tokens: Int32Array
  /** [sequences · length] what follows each of them. */
  targets: Int32Array
}

/** All sequences begin differently, so that no subject can save work by sharing prefixes. */
export function randomBatch(config: ModelConfig, sequences: number, length: number): TokenBatch {
  const rows = randomPrompts(config, sequences, length + 1)
  return {
    sequences,
    length,
    tokens: joinArrays(
      Int32Array,
      rows.map((row) => row.subarray(0, length)),
    ),
    targets: joinArrays(
      Int32Array,
      rows.map((row) => row.subarray(1)),
    ),
  }
}

/** `count` prompts of `length` random tokens that all begin differently. */
export function randomPrompts(config: ModelConfig, count: number, length: number, seed = 1): Int32Array[] {
  const { vocabularySize } = config
  if (count > vocabularySize)
    throw new RangeError(`${count} sequences cannot all begin differently with ${vocabularySize} tokens.`)
  const uniform = randomStream(seed, length)
  return Array.from({ length: count }, (_, row) =>
    Int32Array.from({ length }, (_, i) => (i === 0 ? row : Math.floor(uniform() * vocabularySize))),
  )
}
