/** Checks of all layers in one call, as sampling runs them. */
import * as tf from '@tensorflow/tfjs-core'
import { parseModelConfig } from '../../language-model/files/config.ts'
import { AdapterSet } from '../../language-model/lora/adapter-set.ts'
import { KeyValueCache } from '../../language-model/sampling/kv-cache.ts'
import { randomStream } from '../../language-model/sampling/random-stream.ts'
import { Transformer } from '../../language-model/transformer.ts'
import { initialWeights } from '../../language-model/weights/parameters.ts'
import { PROJECTIONS, type ProjectionName } from '../../language-model/weights/projection-names.ts'
import { forest } from '../forest.ts'
import type { KernelCheck } from './kernel-check.ts'

/** Every kind of parameter: grouped queries, biases, and norms of queries and keys. */
const CONFIG = parseModelConfig(
  {
    model_type: 'qwen3',
    hidden_size: 48,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 16,
    intermediate_size: 72,
    vocab_size: 40,
    attention_bias: true,
    tie_word_embeddings: true,
    max_position_embeddings: 64,
    eos_token_id: 1,
  },
  'the model of the checks',
)
const SLOTS = 64

/** The outputs of all rows and of some, and the keys and values that they leave. */
function layersCheck(prefix: number, length: number, targets: readonly ProjectionName[], rank: number): KernelCheck {
  const { layout, tokens: rows } = forest(prefix, 2, 1, length)
  const batch = {
    tokens: Int32Array.from({ length: rows }, (_, i) => (7 * i) % CONFIG.vocabularySize),
    positions: Int32Array.from({ length: rows }, (_, i) => i % 32),
    layout,
  }
  return {
    name: `decoder layers, ${rows} rows, ${targets.length > 0 ? `${targets.length} adapters of rank ${rank}` : 'no adapters'}`,
    inputs: [],
    async run() {
      const model = changedModel(targets, rank)
      const cache = new KeyValueCache(CONFIG)
      cache.grow(SLOTS)
      const results: tf.Tensor[] = [null, Int32Array.of(1, 4)].map((asked) => model.hidden(batch, asked, cache))
      for (const { keys, values } of cache.pools) results.push(keys, values)
      const kept = results.map((result) => tf.clone(result))
      // The device may run later what reads them.
      await Promise.all(kept.map((result) => result.data()))
      model.dispose()
      cache.dispose()
      return kept
    },
  }
}

/** Norms differ from 1, biases and adapters from 0, so that a missing one shows. */
function changedModel(targets: readonly ProjectionName[], rank: number): Transformer {
  const uniform = randomStream(1, 99)
  const weights = initialWeights(CONFIG, 1)
  for (const [name, values] of weights)
    if (/norm\.weight$|\.bias$/.test(name)) for (let i = 0; i < values.length; i++) values[i]! += uniform() - 0.5
  const model = new Transformer(CONFIG, weights)
  if (targets.length === 0) return model
  for (const variable of new AdapterSet(model, { rank, alpha: 8, dropout: 0, targets }, 1).parameters.values()) {
    const values = Float32Array.from({ length: variable.size }, () => uniform() - 0.5)
    variable.assign(tf.tensor(values, variable.shape))
  }
  return model
}

/** Few rows take dot products and many take tiles; a rank that four does not divide is read number by number. */
export const LAYER_CHECKS: readonly KernelCheck[] = [
  layersCheck(6, 2, [], 0),
  layersCheck(40, 3, [], 0),
  layersCheck(6, 2, ['q_proj', 'o_proj', 'up_proj'], 3),
  layersCheck(40, 3, PROJECTIONS, 4),
]
