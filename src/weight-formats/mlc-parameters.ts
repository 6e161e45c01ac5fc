/**
 * A decoder's parameters as MLC compiles them, made from Hugging Face's: matrices with the same input are fused into one by
 * concatenating their rows. Nothing is transposed and no head is permuted.
 *
 *     qkv = [q; k; v]     [(heads + 2 · keyValueHeads) · headDim, hidden]     qkv_proj of Llama, c_attn of Qwen2 and Qwen3
 *     gate_up = [gate; up]     [2 · intermediate, hidden]
 *
 * The order of q, k, v and of gate, up is that of mlc_llm's loaders of llama, qwen2 and qwen3.
 */
import type { ModelConfig } from '../language-model/files/config.ts'
import { parameterShapes } from '../language-model/weights/parameters.ts'
import { joinArrays } from '../method/join-arrays.ts'

export const MLC_ARCHITECTURES = ['llama', 'qwen2', 'qwen3'] as const
/** `model_type` of config.json. */
export type MlcArchitecture = (typeof MLC_ARCHITECTURES)[number]

export interface MlcParameter {
  name: string
  shape: readonly number[]
  /** Hugging Face's parameters; their concatenated rows are this one. */
  parts: readonly { name: string; shape: readonly number[] }[]
}

export class MlcFormatError extends Error {
  override name = 'MlcFormatError'
}

const FUSED = [
  { parts: ['self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj'], whole: 'self_attn.qkv' },
  { parts: ['mlp.gate_proj', 'mlp.up_proj'], whole: 'mlp.gate_up_proj' },
] as const

export function isMlcArchitecture(modelType: string): modelType is MlcArchitecture {
  return MLC_ARCHITECTURES.some((known) => known === modelType)
}

/** The parameters in the order of the layers. Throws MlcFormatError if MLC's models do not support the config. */
export function mlcParameters(config: ModelConfig, architecture: MlcArchitecture): MlcParameter[] {
  if (config.outputBias || (architecture === 'llama' && config.queryKeyValueBias))
    throw new MlcFormatError(
      `This ${architecture} model has attention biases, which MLC's ${architecture} does not support. Use a model without attention_bias.`,
    )
  const parameters = new Map<string, MlcParameter & { parts: { name: string; shape: readonly number[] }[] }>()
  for (const part of parameterShapes(config)) {
    const name = wholeName(part.name, architecture)
    const known = parameters.get(name)
    if (known === undefined) parameters.set(name, { name, shape: part.shape, parts: [part] })
    else {
      known.parts.push(part)
      known.shape = [known.shape[0]! + part.shape[0]!, ...known.shape.slice(1)]
    }
  }
  return [...parameters.values()]
}

/** Hugging Face's names of the parts of MLC's parameter; its own name if it is not fused. */
export function partNames(name: string): string[] {
  const whole = ['self_attn.qkv_proj', 'self_attn.c_attn', 'mlp.gate_up_proj'].find((known) =>
    name.includes(`.${known}.`),
  )
  if (whole === undefined) return [name]
  const parts = whole === 'mlp.gate_up_proj' ? FUSED[1].parts : FUSED[0].parts
  return parts.map((part) => name.replace(whole, part))
}

/** Concatenates the parts' rows. A parameter of one part is that part itself, not a copy. */
export function fuse(
  parameter: MlcParameter,
  weights: ReadonlyMap<string, Float32Array>,
  source: string,
): Float32Array {
  const values = parameter.parts.map(({ name, shape }) => {
    const part = weights.get(name)
    if (part === undefined || part.length !== elementCount(shape))
      throw new MlcFormatError(
        `The weights of "${source}" have ${part === undefined ? 'no' : `${part.length} numbers as`} ${name}, but ${elementCount(shape)} numbers are needed. Take weights and config.json from one model.`,
      )
    return part
  })
  return values.length === 1 ? values[0]! : joinArrays(Float32Array, values)
}

export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1)
}

function wholeName(part: string, architecture: MlcArchitecture): string {
  for (const { parts, whole } of FUSED) {
    const found = parts.find((name) => part.includes(`.${name}.`))
    if (found === undefined) continue
    const fused =
      whole === 'self_attn.qkv' ? (architecture === 'llama' ? 'self_attn.qkv_proj' : 'self_attn.c_attn') : whole
    return part.replace(found, fused)
  }
  return part
}
