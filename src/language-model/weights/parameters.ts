/** A decoder's weights, named and shaped as in Hugging Face's safetensors, and their initial values. */
import type { ModelConfig } from '../files/config.ts'
import { normalStream, randomStream } from '../sampling/random-stream.ts'

export interface ParameterShape {
  name: string
  /** [out, in] for a projection, [V, d] for the embedding, [d] for a norm or a bias. */
  shape: readonly number[]
}

export function parameterShapes(config: ModelConfig): ParameterShape[] {
  const { hiddenSize, headDim, intermediateSize } = config
  const queryWidth = config.heads * headDim
  const keyWidth = config.keyValueHeads * headDim
  const shapes: ParameterShape[] = []
  const add = (name: string, ...shape: number[]) => shapes.push({ name, shape })
  add('model.embed_tokens.weight', config.vocabularySize, hiddenSize)
  for (let layer = 0; layer < config.layers; layer++) {
    const at = `model.layers.${layer}.`
    add(at + 'input_layernorm.weight', hiddenSize)
    for (const [projection, width] of [
      ['q_proj', queryWidth],
      ['k_proj', keyWidth],
      ['v_proj', keyWidth],
    ] as const) {
      add(`${at}self_attn.${projection}.weight`, width, hiddenSize)
      if (config.queryKeyValueBias) add(`${at}self_attn.${projection}.bias`, width)
    }
    if (config.queryKeyNorm) {
      add(at + 'self_attn.q_norm.weight', headDim)
      add(at + 'self_attn.k_norm.weight', headDim)
    }
    add(at + 'self_attn.o_proj.weight', hiddenSize, queryWidth)
    if (config.outputBias) add(at + 'self_attn.o_proj.bias', hiddenSize)
    add(at + 'post_attention_layernorm.weight', hiddenSize)
    add(at + 'mlp.gate_proj.weight', intermediateSize, hiddenSize)
    add(at + 'mlp.up_proj.weight', intermediateSize, hiddenSize)
    add(at + 'mlp.down_proj.weight', hiddenSize, intermediateSize)
  }
  add('model.norm.weight', hiddenSize)
  if (!config.tiedEmbeddings) add('lm_head.weight', config.vocabularySize, hiddenSize)
  return shapes
}

/**
 * Initial weights, which depend only on the seed: norms 1, biases 0, matrices normal with standard deviation `initializerRange`, or
 * 1/√in without one. Matrices that write to the residual stream are divided by √(2 · layers), so its variance does not grow with depth.
 */
export function initialWeights(config: ModelConfig, seed: number): Map<string, Float32Array> {
  const weights = new Map<string, Float32Array>()
  for (const [index, { name, shape }] of parameterShapes(config).entries()) {
    const values = new Float32Array(shape.reduce((product, size) => product * size, 1))
    if (name.endsWith('norm.weight')) values.fill(1)
    else if (!name.endsWith('.bias')) {
      const normal = normalStream(randomStream(seed, index))
      const writesResidual = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight')
      const deviation =
        (config.initializerRange ?? 1 / Math.sqrt(shape[1]!)) / (writesResidual ? Math.sqrt(2 * config.layers) : 1)
      for (let i = 0; i < values.length; i++) values[i] = deviation * normal()
    }
    weights.set(name, values)
  }
  return weights
}
