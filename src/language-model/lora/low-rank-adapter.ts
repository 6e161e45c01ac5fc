/**
 * A low-rank change of a frozen projection (Hu et al., 2021):
 *
 *     y = x Wᵀ + b + s · (drop(x) Aᵀ) Bᵀ,   s = alpha / rank       A[r, in], B[out, r]
 *
 * A starts uniform within ±1/√in, as in PEFT, and B at 0, so that a fresh adapter changes nothing. Both are float32 however the
 * base is stored: 16 bits lose a change of one ten-thousandth, the size of a reinforcement learning step.
 */
import * as tf from '@tensorflow/tfjs-core'
import { addLowRank, dropout, linear, type LowRankChange } from '../ops/index.ts'
import type { Adapter, Projection } from '../weights/projection.ts'
import { randomStream } from '../sampling/random-stream.ts'
import type { LoraOptions } from './options.ts'

/** Prefix of parameter names in PEFT. */
const PREFIX = 'base_model.model.'

export class LowRankAdapter implements Adapter {
  readonly parameters: ReadonlyMap<string, tf.Variable>
  readonly #a: tf.Variable
  readonly #b: tf.Variable
  readonly #projection: Projection
  readonly #scale: number
  readonly #dropout: number
  /** Different for every adapter of a model. */
  readonly #key: number

  /** `key` is different for every adapter of a model; with `seed` it decides A's start and the dropout. */
  constructor(projection: Projection, options: LoraOptions, seed: number, key: number) {
    const [outputs, inputs] = projection.weight.shape as [number, number]
    const uniform = randomStream(seed, key)
    const bound = 1 / Math.sqrt(inputs)
    const start = Float32Array.from({ length: options.rank * inputs }, () => (2 * uniform() - 1) * bound)
    const [a, b] = tf.tidy(() => [
      tf.variable(tf.tensor2d(start, [options.rank, inputs])),
      tf.variable(tf.zeros([outputs, options.rank])),
    ])
    this.#a = a!
    this.#b = b!
    this.parameters = new Map([
      [`${PREFIX}${projection.path}.lora_A.weight`, this.#a],
      [`${PREFIX}${projection.path}.lora_B.weight`, this.#b],
    ])
    this.#projection = projection
    this.#scale = options.alpha / options.rank
    this.#dropout = options.dropout
    this.#key = key
  }

  apply(x: tf.Tensor2D, y: tf.Tensor2D, dropoutSeed: number | null): tf.Tensor2D {
    const input = dropoutSeed === null ? x : dropout(x, this.#dropout, randomStream(dropoutSeed, this.#key))
    return addLowRank(y, linear(input, matrix(this.#a)), matrix(this.#b), this.#scale)
  }

  get lowRank(): LowRankChange {
    return { a: this.#a, b: this.#b, scale: this.#scale }
  }

  /** W + s B A as a new tensor [out, in]. */
  mergedWeight(): tf.Tensor2D {
    return tf.tidy(() => {
      const change = tf.mul(tf.matMul(matrix(this.#b), matrix(this.#a)), this.#scale)
      return tf.add(matrix(this.#projection.weight), change)
    })
  }

  dispose(): void {
    tf.dispose([this.#a, this.#b])
  }
}

const matrix = (variable: tf.Variable) => variable as tf.Tensor as tf.Tensor2D
