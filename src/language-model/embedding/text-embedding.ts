/**
 * A text as a vector, of a model that was trained to write:
 *
 *     e(text) = 1/n Σ_t norm(h_t)        h_t after the first `layers` layers; after none, the token's input embedding
 *
 * norm is the model's final norm, so that every token weighs about as much, whichever layer it is taken from. Texts are packed as
 * a forest without padding (packing.ts): what several begin with is run once. `layers` is the caller's, for it is a matter of
 * measurement: with our models the input embeddings know paraphrases best (decision 9).
 */
import * as tf from '@tensorflow/tfjs-core'
import type { Tokens } from '../../method/ports.ts'
import { Breather } from '../sampling/breathe.ts'
import { packMicroBatches, type MicroBatch } from '../training/packing.ts'
import { Transformer } from '../transformer.ts'

export interface EmbeddingOptions {
  /** How many layers run, from 0 to the model's. */
  layers: number
  /** Tokens run at once, and so how long nothing else is heard. */
  batchTokens?: number
  /** Tokens of a text that are read, at most; what follows does not count. */
  longest?: number
}

const BATCH_TOKENS = 512
const LONGEST = 1024

export class TextEmbedder {
  readonly #model: Transformer
  readonly #encode: (text: string) => Tokens
  readonly #batchTokens: number
  readonly #longest: number

  /** The transformer stays the caller's: its weights are read, and not disposed of. Throws RangeError for layers that it has not. */
  constructor(
    transformer: Transformer,
    encode: (text: string) => Tokens,
    { layers, batchTokens = BATCH_TOKENS, longest = LONGEST }: EmbeddingOptions,
  ) {
    const { config } = transformer
    if (!Number.isInteger(layers) || layers < 0 || layers > config.layers)
      throw new RangeError(
        `This model has ${config.layers} layers; embeddings cannot be taken after ${layers} of them.`,
      )
    this.#model = new Transformer({ ...config, layers }, transformer.parameters, transformer.storage)
    this.#encode = encode
    this.#batchTokens = batchTokens
    this.#longest = Math.min(longest, config.maxPositions)
  }

  /** Numbers of a vector. */
  get dimensions(): number {
    return this.#model.config.hiddenSize
  }

  /** One row for each text, the same whatever it is embedded together with; zeros for a text without tokens. */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    return (await this.states(texts, signal)).map((states) => meanOf(states, this.dimensions))
  }

  /** What is averaged: of each text one row for each of its tokens, [tokens × d]. */
  async states(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const tokens = texts.map((text) => this.#encode(text).subarray(0, this.#longest))
    const found = tokens.map(({ length }) => new Float32Array(length * this.dimensions))
    const breather = new Breather()
    for (const micro of packMicroBatches(tokens.map(everyTokenPredicts), this.#batchTokens)) {
      await breather.breathe(signal)
      await this.#run(micro, found)
    }
    return found
  }

  async #run(
    { batch, outputRows, predictor, example, offset }: MicroBatch,
    into: readonly Float32Array[],
  ): Promise<void> {
    const hidden = tf.tidy(() => this.#model.hidden(batch, null))
    const values = await hidden.data<'float32'>()
    hidden.dispose()
    const d = this.dimensions
    for (const [entry, place] of predictor.entries()) {
      const from = outputRows[place]! * d
      into[example[entry]!]!.set(values.subarray(from, from + d), offset[entry]! * d)
    }
  }
}

function meanOf(states: Float32Array, dimensions: number): Float32Array {
  const sum = new Float64Array(dimensions)
  for (const [i, value] of states.entries()) sum[i % dimensions]! += value
  const tokens = Math.max(1, states.length / dimensions)
  return Float32Array.from(sum, (value) => value / tokens)
}

/** Packing asks for the rows that predict a response: of a response that begins with the second token and ends after the last, all. */
function everyTokenPredicts(tokens: Tokens): { prompt: Tokens; response: Tokens } {
  const response = new Int32Array(tokens.length)
  response.set(tokens.subarray(1))
  return { prompt: tokens.subarray(0, 1), response }
}
