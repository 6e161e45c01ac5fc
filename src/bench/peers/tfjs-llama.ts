/**
 * A Llama as a user of stock TensorFlow.js would write it: sequences of equal length as [batch, heads, positions, features], weights as
 * [in, out], a causal mask added to the scores, and only stock operations on the selected backend.
 *
 * It works around two gaps. The wasm backend has no kernel for the gradient of `gather`, so the embedding's gradient uses `scatterND`.
 * It also multiplies transposed operands in a loop without SIMD, which takes most of the time of its matMul gradient;
 * `products: 'transposed by hand'` writes out every transpose to show the rest.
 */
import * as tf from '@tensorflow/tfjs-core'
// Gradients of stock operations, which TensorFlow.js only has in a module that Node cannot import.
import '../../language-model/ops/stock-gradients.ts'
import type { ModelConfig } from '../../language-model/files/config.ts'
import { parameterShapes } from '../../language-model/weights/parameters.ts'
import type { BenchModel } from '../bench-model.ts'
import { rotaryTables } from './rotary.ts'

export type Products = 'as stock' | 'transposed by hand'

/** Added to a masked score. */
const HIDDEN = -1e9
const EMBEDDING = 'model.embed_tokens.weight'

/** Keys and values of a layer, [batch, heads, positions, headDim]. */
export interface LayerCache {
  keys: tf.Tensor
  values: tf.Tensor
}

export class TfjsLlama {
  readonly config: ModelConfig
  /** By name; projections are transposed to [in, out]. */
  readonly variables: ReadonlyMap<string, tf.Variable>
  readonly #product: (a: tf.Tensor, b: tf.Tensor) => tf.Tensor
  readonly #tables: { positions: number; cosine: tf.Tensor; sine: tf.Tensor; mask: tf.Tensor }

  /** Reads sequences of up to `positions` tokens. */
  constructor({ config, weights }: BenchModel, positions: number, products: Products) {
    this.config = config
    this.#product = products === 'as stock' ? (a, b) => tf.matMul(a, b) : productTransposedByHand
    this.variables = new Map(
      parameterShapes(config).map(({ name, shape }) => {
        const variable = tf.tidy(() => {
          const stored = tf.tensor(weights.get(name)!, [...shape])
          return tf.variable(isProjection(name) ? tf.transpose(stored) : stored, true)
        })
        return [name, variable]
      }),
    )
    const { cosines, sines } = rotaryTables(config, positions)
    const half = config.headDim / 2
    const mask = Float32Array.from({ length: positions ** 2 }, (_, i) =>
      i % positions <= Math.floor(i / positions) ? 0 : HIDDEN,
    )
    this.#tables = {
      positions,
      cosine: tf.tensor2d(cosines, [positions, half]),
      sine: tf.tensor2d(sines, [positions, half]),
      mask: tf.tensor2d(mask, [positions, positions]),
    }
  }

  /**
   * Hidden states [batch · length, d] of tokens[batch · length]; each sequence starts at position `from`. A cache holds the keys and
   * values of earlier positions and is extended.
   */
  hidden(tokens: tf.Tensor1D, batch: number, from = 0, cache?: LayerCache[]): tf.Tensor2D {
    const { layers, heads, keyValueHeads, headDim, normEpsilon } = this.config
    const length = tokens.size / batch
    const tables = this.#tablesFrom(from, length)
    const split = (x: tf.Tensor, count: number) =>
      tf.transpose(tf.reshape(x, [batch, length, count, headDim]), [0, 2, 1, 3])
    let x: tf.Tensor = embed(this.weight(EMBEDDING), tokens)
    for (let layer = 0; layer < layers; layer++) {
      const at = (name: string) => this.weight(`model.layers.${layer}.${name}.weight`)
      const normed = rmsNorm(x, at('input_layernorm'), normEpsilon)
      const queries = rotated(split(this.#product(normed, at('self_attn.q_proj')), heads), tables)
      let keys = rotated(split(this.#product(normed, at('self_attn.k_proj')), keyValueHeads), tables)
      let values = split(this.#product(normed, at('self_attn.v_proj')), keyValueHeads)
      if (cache) {
        const before = cache[layer]
        if (before) [keys, values] = [tf.concat([before.keys, keys], 2), tf.concat([before.values, values], 2)]
        cache[layer] = { keys: tf.keep(keys), values: tf.keep(values) }
        if (before) tf.dispose([before.keys, before.values])
      }
      const attended = this.#attention(queries, this.#shared(keys), this.#shared(values), tables.mask)
      const joined = tf.reshape(tf.transpose(attended, [0, 2, 1, 3]), [batch * length, heads * headDim])
      x = tf.add(x, this.#product(joined, at('self_attn.o_proj')))
      const feedForwardInput = rmsNorm(x, at('post_attention_layernorm'), normEpsilon)
      const gate = this.#product(feedForwardInput, at('mlp.gate_proj'))
      const gated = tf.mul(tf.mul(gate, tf.sigmoid(gate)), this.#product(feedForwardInput, at('mlp.up_proj')))
      x = tf.add(x, this.#product(gated, at('mlp.down_proj')))
    }
    return rmsNorm(x, this.weight('model.norm.weight'), normEpsilon) as tf.Tensor2D
  }

  /** hidden[N, d] → [N, V] */
  logits(hidden: tf.Tensor2D): tf.Tensor2D {
    return this.#product(hidden, tf.transpose(this.weight(EMBEDDING))) as tf.Tensor2D
  }

  /** A gradient or weight with the shape of a model folder. */
  async stored(name: string, tensor: tf.Tensor): Promise<Float32Array> {
    const inOrder = isProjection(name) ? tf.transpose(tensor) : tf.clone(tensor)
    const values = await inOrder.data<'float32'>()
    inOrder.dispose()
    return values
  }

  dispose(): void {
    const { cosine, sine, mask } = this.#tables
    tf.dispose([...this.variables.values(), cosine, sine, mask])
  }

  weight(name: string): tf.Variable {
    return this.variables.get(name)!
  }

  #attention(queries: tf.Tensor, keys: tf.Tensor, values: tf.Tensor, mask: tf.Tensor | null): tf.Tensor {
    const scores = this.#product(tf.mul(queries, 1 / Math.sqrt(this.config.headDim)), tf.transpose(keys, [0, 1, 3, 2]))
    return this.#product(tf.softmax(mask ? tf.add(scores, mask) : scores), values)
  }

  /** Repeats keys or values for every query head. */
  #shared(x: tf.Tensor): tf.Tensor {
    const { heads, keyValueHeads } = this.config
    if (heads === keyValueHeads) return x
    const [batch, , length, width] = x.shape as [number, number, number, number]
    const repeated = Array.from({ length: heads / keyValueHeads }, () => tf.expandDims(x, 2))
    return tf.reshape(tf.concat(repeated, 2), [batch, heads, length, width])
  }

  /** A single query sees everything, so it needs no mask. */
  #tablesFrom(from: number, length: number) {
    const { cosine, sine, mask, positions } = this.#tables
    if (from + length > positions)
      throw new RangeError(`Position ${from + length - 1} exceeds this model's ${positions} positions.`)
    return {
      cosine: tf.slice(cosine, [from, 0], [length, -1]),
      sine: tf.slice(sine, [from, 0], [length, -1]),
      mask: length === 1 ? null : tf.slice(mask, [from, 0], [length, from + length]),
    }
  }
}

function isProjection(name: string): boolean {
  return name.includes('_proj.')
}

function rmsNorm(x: tf.Tensor, weight: tf.Tensor, epsilon: number): tf.Tensor {
  const meanSquare = tf.mean(tf.square(x), -1, true)
  return tf.mul(tf.mul(x, tf.rsqrt(tf.add(meanSquare, epsilon))), weight)
}

function rotated(x: tf.Tensor, { cosine, sine }: { cosine: tf.Tensor; sine: tf.Tensor }): tf.Tensor {
  const [first, second] = tf.split(x, 2, -1) as [tf.Tensor, tf.Tensor]
  return tf.concat(
    [tf.sub(tf.mul(first, cosine), tf.mul(second, sine)), tf.add(tf.mul(second, cosine), tf.mul(first, sine))],
    -1,
  )
}

function embed(table: tf.Tensor, tokens: tf.Tensor1D): tf.Tensor {
  return tf.customGrad((...inputs) => {
    const [rows, save] = inputs as unknown as [tf.Tensor, tf.GradSaveFunc]
    save([tokens])
    return {
      value: tf.gather(rows, tokens),
      gradFunc: (dy, saved) => tf.scatterND(tf.reshape(saved[0]!, [tokens.size, 1]), dy, rows.shape),
    }
  })(table)
}

function productTransposedByHand(a: tf.Tensor, b: tf.Tensor): tf.Tensor {
  return tf.customGrad((...inputs) => {
    const [left, right, save] = inputs as unknown as [tf.Tensor, tf.Tensor, tf.GradSaveFunc]
    save([left, right])
    return {
      value: tf.matMul(left, right),
      gradFunc: (dy, saved) => [tf.matMul(dy, lastTwoSwapped(saved[1]!)), tf.matMul(lastTwoSwapped(saved[0]!), dy)],
    }
  })(a, b)
}

function lastTwoSwapped(x: tf.Tensor): tf.Tensor {
  const axes = x.shape.map((_, i) => i)
  return tf.transpose(x, [...axes.slice(0, -2), axes.length - 1, axes.length - 2])
}
