/**
 * A Llama-family decoder on flat ragged batches:
 *
 *     x ← x + W_o · attention(rope(W_q n), rope(W_k n), W_v n),   n = rmsNorm(x)
 *     x ← x + W_down (silu(W_gate n') ⊙ W_up n'),                 n' = rmsNorm(x)
 *
 * A batch is the tokens of any number of sequences one after the other, without padding; who sees whom is in its attention layout.
 */
import * as tf from '@tensorflow/tfjs-core'
import { inverseFrequencies, type ModelConfig } from './config.ts'
import type { KeyValueCache } from './kv-cache.ts'
import { type AttentionLayout, attention, embedding, gatherRows, linear, rmsNorm, rope, swiglu } from './ops/index.ts'
import { parameterShapes } from './parameters.ts'

export interface RaggedBatch {
  /** [N] */
  tokens: Int32Array
  /** [N] place of each token in its own sequence. */
  positions: Int32Array
  layout: AttentionLayout
}

interface Projection {
  weight: tf.Tensor2D
  bias: tf.Tensor1D | undefined
}

interface LayerWeights {
  attentionNorm: tf.Tensor1D
  query: Projection
  key: Projection
  value: Projection
  queryNorm: tf.Tensor1D | undefined
  keyNorm: tf.Tensor1D | undefined
  output: Projection
  feedForwardNorm: tf.Tensor1D
  gate: Projection
  up: Projection
  down: Projection
}

export class Transformer {
  readonly config: ModelConfig
  /** By name, in the order of `parameterShapes`. */
  readonly parameters: ReadonlyMap<string, tf.Variable>
  readonly #embedding: tf.Tensor2D
  readonly #layers: readonly LayerWeights[]
  readonly #norm: tf.Tensor1D
  /** The output layer [V, d]. */
  readonly head: tf.Tensor2D
  readonly #inverseFrequencies: Float32Array

  /** `weights` holds every parameter of `parameterShapes(config)`; the variables made from it belong to this object. */
  constructor(config: ModelConfig, weights: ReadonlyMap<string, Float32Array>) {
    this.config = config
    this.parameters = new Map(
      parameterShapes(config).map(({ name, shape }) => {
        const tensor = tf.tensor(weights.get(name)!, [...shape])
        const variable = tf.variable(tensor)
        tensor.dispose()
        return [name, variable] as const
      }),
    )
    const optional = <T extends tf.Tensor>(name: string) => this.parameters.get(name) as tf.Tensor as T | undefined
    const vector = (name: string) => optional<tf.Tensor1D>(name)!
    const matrix = (name: string) => optional<tf.Tensor2D>(name)!
    const projection = (name: string): Projection => ({
      weight: matrix(name + '.weight'),
      bias: optional<tf.Tensor1D>(name + '.bias'),
    })
    this.#embedding = matrix('model.embed_tokens.weight')
    this.#norm = vector('model.norm.weight')
    this.head = config.tiedEmbeddings ? this.#embedding : matrix('lm_head.weight')
    this.#inverseFrequencies = inverseFrequencies(config)
    this.#layers = Array.from({ length: config.layers }, (_, layer) => {
      const at = `model.layers.${layer}.`
      return {
        attentionNorm: vector(at + 'input_layernorm.weight'),
        query: projection(at + 'self_attn.q_proj'),
        key: projection(at + 'self_attn.k_proj'),
        value: projection(at + 'self_attn.v_proj'),
        queryNorm: optional<tf.Tensor1D>(at + 'self_attn.q_norm.weight'),
        keyNorm: optional<tf.Tensor1D>(at + 'self_attn.k_norm.weight'),
        output: projection(at + 'self_attn.o_proj'),
        feedForwardNorm: vector(at + 'post_attention_layernorm.weight'),
        gate: projection(at + 'mlp.gate_proj'),
        up: projection(at + 'mlp.up_proj'),
        down: projection(at + 'mlp.down_proj'),
      }
    })
  }

  /**
   * Normalised hidden states [rows, d] of the batch's tokens or, of only some, where `outputRows` names them: the last layer reads all
   * tokens but is finished for those alone, in ascending order. With a cache, keys and values go to the layout's slots, and queries see what is there
   * already. Call it in a tidy.
   */
  hidden(batch: RaggedBatch, outputRows: Int32Array | null, cache?: KeyValueCache): tf.Tensor2D {
    let x = embedding(this.#embedding, batch.tokens)
    for (let layer = 0; layer < this.#layers.length; layer++) {
      x = this.#runLayer(layer, x, batch, layer === this.#layers.length - 1 ? outputRows : null, cache)
    }
    return x.shape[0] === 0 ? x : rmsNorm(x, this.#norm, this.config.normEpsilon)
  }

  /** hidden[rows, d] → [rows, V] */
  logits(hidden: tf.Tensor2D): tf.Tensor2D {
    return hidden.shape[0] === 0 ? tf.zeros([0, this.config.vocabularySize]) : linear(hidden, this.head)
  }

  dispose(): void {
    tf.dispose([...this.parameters.values()])
  }

  #runLayer(
    index: number,
    x: tf.Tensor2D,
    batch: RaggedBatch,
    outputRows: Int32Array | null,
    cache?: KeyValueCache,
  ): tf.Tensor2D {
    const weights = this.#layers[index]!
    const { normEpsilon, headDim } = this.config
    const normed = rmsNorm(x, weights.attentionNorm, normEpsilon)
    let keys = this.#rotated(project(normed, weights.key), weights.keyNorm, batch.positions)
    let values = project(normed, weights.value)
    if (cache) ({ keys, values } = cache.write(index, keys, values, batch.layout.querySlot))
    // A chunk of a prompt is read for its keys and values alone. No kernel is asked to work on nothing.
    if (outputRows?.length === 0) return tf.zeros([0, this.config.hiddenSize])

    const finished = outputRows ? onlyRows(batch, outputRows) : batch
    const residual = outputRows ? gatherRows(x, outputRows) : x
    const queryInput = outputRows ? gatherRows(normed, outputRows) : normed
    const queries = this.#rotated(project(queryInput, weights.query), weights.queryNorm, finished.positions)
    const attended = attention(queries, keys, values, finished.layout, headDim)
    const afterAttention = tf.add<tf.Tensor2D>(residual, project(attended, weights.output))
    const feedForwardInput = rmsNorm(afterAttention, weights.feedForwardNorm, normEpsilon)
    const gated = swiglu(project(feedForwardInput, weights.gate), project(feedForwardInput, weights.up))
    return tf.add(afterAttention, project(gated, weights.down))
  }

  #rotated(x: tf.Tensor2D, headNorm: tf.Tensor1D | undefined, positions: Int32Array): tf.Tensor2D {
    const { headDim, normEpsilon } = this.config
    const [rows, width] = x.shape
    const normed = headNorm
      ? tf.reshape<tf.Rank.R2>(rmsNorm(tf.reshape(x, [rows * (width / headDim), headDim]), headNorm, normEpsilon), [
          rows,
          width,
        ])
      : x
    return rope(normed, positions, headDim, this.#inverseFrequencies)
  }
}

function project(x: tf.Tensor2D, projection: Projection): tf.Tensor2D {
  return linear(x, projection.weight, projection.bias)
}

/** The batch as the queries `rows` alone see it; keys and values stay those of the whole batch. */
function onlyRows(batch: RaggedBatch, rows: Int32Array): RaggedBatch {
  const pick = (values: Int32Array) => rows.map((row) => values[row]!)
  const { layout } = batch
  return {
    tokens: pick(batch.tokens),
    positions: pick(batch.positions),
    layout: { ...layout, querySegment: pick(layout.querySegment), querySlot: pick(layout.querySlot) },
  }
}
