/** An independent, slow implementation of the decoder in plain loops, for one sequence at a time. */
import { inverseFrequencies, type ModelConfig } from '../../src/language-model/files/config.ts'

type Matrix = number[][]

/** Logits [tokens.length - from][V], of the tokens at `from` and later. */
export function naiveLogits(
  config: ModelConfig,
  weights: ReadonlyMap<string, Float32Array>,
  tokens: ArrayLike<number>,
  from = 0,
): Matrix {
  const { hiddenSize, headDim, heads, keyValueHeads, normEpsilon } = config
  const frequencies = inverseFrequencies(config)
  const row = (name: string, index: number, width: number) =>
    Array.from(weights.get(name)!.subarray(index * width, (index + 1) * width))
  const project = (x: Matrix, name: string, width: number): Matrix => {
    const weight = weights.get(name + '.weight')!
    const bias = weights.get(name + '.bias')
    return x.map((input) =>
      Array.from({ length: width }, (_, o) => {
        let sum = bias?.[o] ?? 0
        for (let i = 0; i < input.length; i++) sum += input[i]! * weight[o * input.length + i]!
        return sum
      }),
    )
  }
  const norm = (x: readonly number[], name: string): number[] => {
    const weight = weights.get(name)!
    const scale = 1 / Math.sqrt(x.reduce((sum, value) => sum + value * value, 0) / x.length + normEpsilon)
    return x.map((value, i) => value * scale * weight[i]!)
  }
  const head = (x: readonly number[], index: number) => x.slice(index * headDim, (index + 1) * headDim)
  const rotate = (x: readonly number[], position: number): number[] =>
    x.map((value, i) => {
      const half = headDim / 2
      const angle = position * frequencies[i % half]!
      return i < half
        ? value * Math.cos(angle) - x[i + half]! * Math.sin(angle)
        : value * Math.cos(angle) + x[i - half]! * Math.sin(angle)
    })

  let x: Matrix = Array.from(tokens, (token) => row('model.embed_tokens.weight', token, hiddenSize))
  for (let layer = 0; layer < config.layers; layer++) {
    const at = `model.layers.${layer}.`
    const normed = x.map((values) => norm(values, at + 'input_layernorm.weight'))
    const turned = (values: readonly number[], index: number, position: number, kind: 'q' | 'k') =>
      rotate(
        config.queryKeyNorm ? norm(head(values, index), `${at}self_attn.${kind}_norm.weight`) : head(values, index),
        position,
      )
    const queries = project(normed, at + 'self_attn.q_proj', heads * headDim)
    const keys = project(normed, at + 'self_attn.k_proj', keyValueHeads * headDim)
    const values = project(normed, at + 'self_attn.v_proj', keyValueHeads * headDim)
    const turnedKeys = keys.map((key, m) => Array.from({ length: keyValueHeads }, (_, g) => turned(key, g, m, 'k')))
    const attended = queries.map((query, n) =>
      Array.from({ length: heads }, (_, h) => {
        const g = Math.floor((h * keyValueHeads) / heads)
        const q = turned(query, h, n, 'q')
        const scores = turnedKeys
          .slice(0, n + 1)
          .map((key) => key[g]!.reduce((sum, value, i) => sum + value * q[i]!, 0) / Math.sqrt(headDim))
        const weightsOf = softmax(scores)
        return Array.from({ length: headDim }, (_, i) =>
          weightsOf.reduce((sum, weight, m) => sum + weight * head(values[m]!, g)[i]!, 0),
        )
      }).flat(),
    )
    const output = project(attended, at + 'self_attn.o_proj', hiddenSize)
    x = x.map((values, n) => values.map((value, i) => value + output[n]![i]!))
    const fed = x.map((values) => norm(values, at + 'post_attention_layernorm.weight'))
    const gate = project(fed, at + 'mlp.gate_proj', config.intermediateSize)
    const up = project(fed, at + 'mlp.up_proj', config.intermediateSize)
    const gated = gate.map((values, n) => values.map((value, i) => (value / (1 + Math.exp(-value))) * up[n]![i]!))
    const down = project(gated, at + 'mlp.down_proj', hiddenSize)
    x = x.map((values, n) => values.map((value, i) => value + down[n]![i]!))
  }
  const final = x.slice(from).map((values) => norm(values, 'model.norm.weight'))
  const table = config.tiedEmbeddings ? 'model.embed_tokens' : 'lm_head'
  return project(final, table, config.vocabularySize)
}

export function logSoftmax(z: readonly number[]): number[] {
  const maximum = Math.max(...z)
  const normaliser = maximum + Math.log(z.reduce((sum, value) => sum + Math.exp(value - maximum), 0))
  return z.map((value) => value - normaliser)
}

function softmax(z: readonly number[]): number[] {
  return logSoftmax(z).map(Math.exp)
}
