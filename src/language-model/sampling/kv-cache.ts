/** Keys and values of cached tokens: a row for each slot, a pair of pools for each layer. The prefix tree knows which slot holds which token. */
import * as tf from '@tensorflow/tfjs-core'
import type { ModelConfig } from '../files/config.ts'
import { kvWrite } from '../ops/index.ts'

export class KeyValueCache {
  #keys: tf.Tensor2D[]
  #values: tf.Tensor2D[]
  #slots = 0
  readonly #width: number

  constructor(config: ModelConfig) {
    this.#width = config.keyValueHeads * config.headDim
    const empty = () => Array.from({ length: config.layers }, () => tf.keep(tf.zeros<tf.Rank.R2>([0, this.#width])))
    this.#keys = empty()
    this.#values = empty()
  }

  get slots(): number {
    return this.#slots
  }

  /** Grows to `slots` slots and keeps the pools' contents. */
  grow(slots: number): void {
    if (slots <= this.#slots) return
    const kept = Int32Array.from({ length: this.#slots }, (_, slot) => slot)
    // Copies on the device: a concatenation would read the pool, and build the larger one twice.
    const larger = (pool: tf.Tensor2D): tf.Tensor2D => {
      const grown = tf.tidy(() => {
        const empty = tf.zeros<tf.Rank.R2>([slots, this.#width])
        return kept.length === 0 ? empty : kvWrite(empty, pool, kept)
      })
      pool.dispose()
      return tf.keep(grown)
    }
    this.#keys = this.#keys.map(larger)
    this.#values = this.#values.map(larger)
    this.#slots = slots
  }

  /** Writes keys[N, C] and values[N, C] of a layer into their slots and returns that layer's pools. */
  write(
    layer: number,
    keys: tf.Tensor2D,
    values: tf.Tensor2D,
    slots: Int32Array,
  ): { keys: tf.Tensor2D; values: tf.Tensor2D } {
    const pools = {
      keys: tf.keep(kvWrite(this.#keys[layer]!, keys, slots)),
      values: tf.keep(kvWrite(this.#values[layer]!, values, slots)),
    }
    this.#keys[layer] = pools.keys
    this.#values[layer] = pools.values
    return pools
  }

  dispose(): void {
    tf.dispose([...this.#keys, ...this.#values])
  }
}
