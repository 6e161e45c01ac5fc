/** Keys and values of cached tokens: a row for each slot, a pair of pools for each layer. The prefix tree knows which slot holds which token. */
import * as tf from '@tensorflow/tfjs-core'
import type { ModelConfig } from '../files/config.ts'
import { kvWrite } from '../ops/index.ts'

export class KeyValueCache {
  #keys: tf.Tensor2D[] = []
  #values: tf.Tensor2D[] = []
  #slots = 0
  readonly #layers: number
  readonly #width: number

  constructor(config: ModelConfig) {
    this.#layers = config.layers
    this.#width = config.keyValueHeads * config.headDim
  }

  get slots(): number {
    return this.#slots
  }

  /** Grows to `slots` slots and keeps the pools' contents. */
  grow(slots: number): void {
    if (slots <= this.#slots) return
    const kept = Int32Array.from({ length: this.#slots }, (_, slot) => slot)
    // Filled and copied on the device: `zeros` would build an array in JavaScript, and a concatenation would read the pool.
    const larger = (pool: tf.Tensor2D | undefined): tf.Tensor2D => {
      const grown = tf.tidy(() => {
        const empty = tf.fill<tf.Rank.R2>([slots, this.#width], 0)
        return pool === undefined ? empty : kvWrite(empty, pool, kept)
      })
      pool?.dispose()
      return tf.keep(grown)
    }
    const all = (pools: readonly tf.Tensor2D[]) =>
      Array.from({ length: this.#layers }, (_, layer) => larger(pools[layer]))
    this.#keys = all(this.#keys)
    this.#values = all(this.#values)
    this.#slots = slots
  }

  /** Each layer's pools. */
  get pools(): { keys: tf.Tensor2D; values: tf.Tensor2D }[] {
    return this.#keys.map((keys, layer) => ({ keys, values: this.#values[layer]! }))
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

  /** Frees the pools. The next `grow` allocates them again. */
  dispose(): void {
    tf.dispose([...this.#keys, ...this.#values])
    this.#keys = []
    this.#values = []
    this.#slots = 0
  }
}
