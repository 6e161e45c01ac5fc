/**
 * A Llama-family decoder on flat ragged batches:
 *
 *     x ← x + W_o · attention(rope(W_q n), rope(W_k n), W_v n),   n = rmsNorm(x)
 *     x ← x + W_down (silu(W_gate n') ⊙ W_up n'),                 n' = rmsNorm(x)
 *
 * A batch concatenates the tokens of any number of sequences without padding; its attention layout says which tokens see which.
 */
import * as tf from '@tensorflow/tfjs-core'
import { inverseFrequencies, type ModelConfig } from './files/config.ts'
import type { KeyValueCache } from './sampling/kv-cache.ts'
import {
  addSame,
  type AttentionLayout,
  attention,
  canRunDecoderLayers,
  decoderLayers,
  embedding,
  gatherRows,
  type LayerWeights,
  linear,
  recomputed,
  rmsNorm,
  rope,
  swiglu,
} from './ops/index.ts'
import { parameterShapes } from './weights/parameters.ts'
import type { WeightStorage } from './weights/weight-storage.ts'
import { project, type Projection, trainableOf } from './weights/projection.ts'
import type { ProjectionName } from './weights/projection-names.ts'

export interface RaggedBatch {
  /** [N] */
  tokens: Int32Array
  /** [N] position of each token in its own sequence. */
  positions: Int32Array
  layout: AttentionLayout
}

/** How to run a batch whose gradient is wanted. */
export interface TrainingPass {
  /** Whether each layer keeps only its input and runs again for its gradient. */
  recomputesActivations: boolean
  /** Seed of the adapters' dropout; null for no dropout. */
  dropoutSeed: number | null
}

/** What all layers of a pass share. */
interface Pass {
  batch: RaggedBatch
  cache: KeyValueCache | undefined
  training: TrainingPass | undefined
}

export class Transformer {
  readonly config: ModelConfig
  /** How matrices are stored. Nothing can be merged into four bits. */
  readonly storage: WeightStorage
  /** By name, in the order of `parameterShapes`. */
  readonly parameters: ReadonlyMap<string, tf.Variable>
  /** By path, such as `model.layers.0.self_attn.q_proj`. */
  readonly projections: ReadonlyMap<string, Projection>
  readonly #embedding: tf.Tensor2D
  readonly #layers: readonly LayerWeights<Projection>[]
  readonly #norm: tf.Tensor1D
  /** The output layer [V, d]. */
  readonly head: tf.Tensor2D
  readonly #inverseFrequencies: Float32Array

  /** `weights` has every parameter of `parameterShapes(config)`, as numbers or as a variable, which this object then owns. */
  constructor(
    config: ModelConfig,
    weights: ReadonlyMap<string, Float32Array | tf.Variable>,
    storage: WeightStorage = 'float32',
  ) {
    this.config = config
    this.storage = storage
    this.parameters = new Map(
      parameterShapes(config).map(({ name, shape }) => {
        const given = weights.get(name)!
        return [name, given instanceof Float32Array ? variableOf(given, shape) : given] as const
      }),
    )
    const optional = <T extends tf.Tensor>(name: string) => this.parameters.get(name) as tf.Tensor as T | undefined
    const vector = (name: string) => optional<tf.Tensor1D>(name)!
    const matrix = (name: string) => optional<tf.Tensor2D>(name)!
    const projections = new Map<string, Projection>()
    const projection = (block: string, name: ProjectionName): Projection => {
      const path = block + name
      const weight = this.parameters.get(path + '.weight')!
      const made = { path, name, weight, bias: this.parameters.get(path + '.bias'), adapter: null }
      projections.set(path, made)
      return made
    }
    this.#embedding = matrix('model.embed_tokens.weight')
    this.#norm = vector('model.norm.weight')
    this.head = config.tiedEmbeddings ? this.#embedding : matrix('lm_head.weight')
    this.#inverseFrequencies = inverseFrequencies(config)
    this.#layers = Array.from({ length: config.layers }, (_, layer) => {
      const at = `model.layers.${layer}.`
      const [selfAttention, feedForward] = [at + 'self_attn.', at + 'mlp.']
      return {
        attentionNorm: vector(at + 'input_layernorm.weight'),
        query: projection(selfAttention, 'q_proj'),
        key: projection(selfAttention, 'k_proj'),
        value: projection(selfAttention, 'v_proj'),
        queryNorm: optional<tf.Tensor1D>(selfAttention + 'q_norm.weight'),
        keyNorm: optional<tf.Tensor1D>(selfAttention + 'k_norm.weight'),
        output: projection(selfAttention, 'o_proj'),
        feedForwardNorm: vector(at + 'post_attention_layernorm.weight'),
        gate: projection(feedForward, 'gate_proj'),
        up: projection(feedForward, 'up_proj'),
        down: projection(feedForward, 'down_proj'),
      }
    })
    this.projections = projections
  }

  /** Parameters that an optimiser step changes, by name: those that are not frozen, and the adapters'. */
  trainableParameters(): Map<string, tf.Variable> {
    const adapters = [...this.projections.values()].flatMap(({ adapter }) => [...(adapter?.parameters ?? [])])
    return new Map([...this.parameters, ...adapters].filter(([, { trainable }]) => trainable))
  }

  /**
   * Normalised hidden states [rows, d] of the batch's tokens, or only of `outputRows`, in ascending order: the last layer reads all
   * tokens but computes outputs for those alone. With a cache, keys and values go to the layout's slots, and queries also see what is
   * cached. Call it in a tidy.
   */
  hidden(
    batch: RaggedBatch,
    outputRows: Int32Array | null,
    cache?: KeyValueCache,
    training?: TrainingPass,
  ): tf.Tensor2D {
    const pass = { batch, cache, training }
    let x = embedding(this.#embedding, batch.tokens)
    if (cache && !training && canRunDecoderLayers(this.config.headDim))
      return this.#normed(this.#runAllLayers(x, batch, outputRows, cache))
    for (let layer = 0; layer < this.#layers.length; layer++) {
      const rows = layer === this.#layers.length - 1 ? outputRows : null
      x = training?.recomputesActivations
        ? recomputed((input) => this.#runLayer(layer, input, pass, rows), x, this.#trainableOfLayer(layer))
        : // Frees each layer's intermediate tensors that no gradient needs as soon as the layer is done.
          tf.tidy(() => this.#runLayer(layer, x, pass, rows))
    }
    return this.#normed(x)
  }

  /** hidden[rows, d] → [rows, V] */
  logits(hidden: tf.Tensor2D): tf.Tensor2D {
    return hidden.shape[0] === 0 ? tf.zeros([0, this.config.vocabularySize]) : linear(hidden, this.head)
  }

  dispose(): void {
    tf.dispose([...this.parameters.values()])
  }

  #normed(x: tf.Tensor2D): tf.Tensor2D {
    return x.shape[0] === 0 ? x : rmsNorm(x, this.#norm, this.config.normEpsilon)
  }

  #runAllLayers(
    x: tf.Tensor2D,
    batch: RaggedBatch,
    outputRows: Int32Array | null,
    { pools }: KeyValueCache,
  ): tf.Tensor2D {
    const { positions, layout } = batch
    const { headDim, normEpsilon } = this.config
    return decoderLayers(x, {
      layers: this.#layers,
      pools,
      positions,
      layout,
      outputRows,
      lastLayer: outputRows ? onlyRows(batch, outputRows) : batch,
      headDim,
      inverseFrequencies: this.#inverseFrequencies,
      normEpsilon,
    })
  }

  #runLayer(index: number, x: tf.Tensor2D, pass: Pass, outputRows: Int32Array | null): tf.Tensor2D {
    const { batch, cache, training } = pass
    const weights = this.#layers[index]!
    const { normEpsilon, headDim } = this.config
    const through = (input: tf.Tensor2D, projection: Projection) =>
      project(input, projection, training?.dropoutSeed ?? null)
    const normed = rmsNorm(x, weights.attentionNorm, normEpsilon)
    let keys = this.#rotated(through(normed, weights.key), weights.keyNorm, batch.positions)
    let values = through(normed, weights.value)
    if (cache) ({ keys, values } = cache.write(index, keys, values, batch.layout.querySlot))
    // A prompt's chunk may need only its keys and values; kernels do not accept empty tensors.
    if (outputRows?.length === 0) return tf.zeros([0, this.config.hiddenSize])

    const finished = outputRows ? onlyRows(batch, outputRows) : batch
    const residual = outputRows ? gatherRows(x, outputRows) : x
    const queryInput = outputRows ? gatherRows(normed, outputRows) : normed
    const queries = this.#rotated(through(queryInput, weights.query), weights.queryNorm, finished.positions)
    const attended = attention(queries, keys, values, finished.layout, headDim)
    const afterAttention = addSame(residual, through(attended, weights.output))
    const feedForwardInput = rmsNorm(afterAttention, weights.feedForwardNorm, normEpsilon)
    const gated = swiglu(through(feedForwardInput, weights.gate), through(feedForwardInput, weights.up))
    return addSame(afterAttention, through(gated, weights.down))
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

  #trainableOfLayer(index: number): tf.Variable[] {
    const { query, key, value, output, gate, up, down, ...norms } = this.#layers[index]!
    const trainableNorms = Object.values<tf.Tensor | undefined>(norms).filter((norm) => isTrained(norm))
    return [...[query, key, value, output, gate, up, down].flatMap(trainableOf), ...trainableNorms]
  }
}

function isTrained(parameter: tf.Tensor | undefined): parameter is tf.Variable {
  return parameter instanceof tf.Variable && parameter.trainable
}

/** Makes a parameter's variable with memory of its own. */
export function variableOf(values: Float32Array, shape: readonly number[]): tf.Variable {
  const tensor = tf.tensor(values, [...shape])
  const variable = tf.variable(tensor)
  tensor.dispose()
  return variable
}

/** The batch with only the queries `rows`; keys and values stay those of the whole batch. */
function onlyRows(batch: RaggedBatch, rows: Int32Array): RaggedBatch {
  const pick = (values: Int32Array) => rows.map((row) => values[row]!)
  const { layout } = batch
  return {
    tokens: pick(batch.tokens),
    positions: pick(batch.positions),
    layout: { ...layout, querySegment: pick(layout.querySegment), querySlot: pick(layout.querySlot) },
  }
}
