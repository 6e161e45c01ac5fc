/** Encodes weights with Hugging Face names as the bytes of a compiled library's parameters. */
import { bytesPerElement, encodeParameter } from '../../weight-formats/mlc-encoding.ts'
import { elementCount, MlcFormatError, partNames } from '../../weight-formats/mlc-parameters.ts'
import { joinArrays } from '../../method/join-arrays.ts'

export interface MlcParameterShape {
  shape: readonly number[]
  dtype: string
}

/**
 * Bytes by parameter, only for parameters with new weights. Throws MlcFormatError for weights that the model lacks, for a part of
 * a parameter without the other parts, and for quantised models.
 */
export function encodedWeights(
  parameters: ReadonlyMap<string, MlcParameterShape>,
  weights: ReadonlyMap<string, Float32Array>,
  source: string,
): Map<string, Uint8Array<ArrayBuffer>> {
  if (isQuantized(parameters))
    throw new MlcFormatError(
      `"${source}" has four-bit weights, which would round an update away. Load its q0f16 or q0f32 variant for a role that learns.`,
    )
  const bytes = new Map<string, Uint8Array<ArrayBuffer>>()
  const left = new Set(weights.keys())
  // A tied output layer has no parameter of this name, but files may contain the embedding twice.
  if (!parameters.has('lm_head.weight')) left.delete('lm_head.weight')
  for (const [name, { shape, dtype }] of parameters) {
    const parts = partNames(name)
    const given = parts.filter((part) => left.delete(part))
    if (given.length === 0) continue
    const absent = parts.filter((part) => !given.includes(part))
    if (absent.length > 0)
      throw new MlcFormatError(
        `New weights for "${source}" contain ${given.join(', ')} without ${absent.join(', ')}, which MLC stores together. Pass all of them.`,
      )
    const values = given.map((part) => weights.get(part)!)
    const length = values.reduce((sum, part) => sum + part.length, 0)
    if (length !== elementCount(shape))
      throw new MlcFormatError(
        `New weights for "${source}" have ${length} numbers for ${name}, which is [${shape.join(', ')}]. Use weights of the same model.`,
      )
    const whole = values.length === 1 ? values[0]! : joinArrays(Float32Array, values)
    const [tensor] = encodeParameter(
      { name, shape, parts: [] },
      whole,
      bytesPerElement(dtype) === 2 ? 'q0f16' : 'q0f32',
    )
    bytes.set(name, tensor!.bytes)
  }
  if (left.size > 0)
    throw new MlcFormatError(
      `New weights contain ${[...left].slice(0, 3).join(', ')}, which "${source}" does not have. Use weights of the same model.`,
    )
  return bytes
}

export function isQuantized(parameters: ReadonlyMap<string, MlcParameterShape>): boolean {
  return [...parameters.keys()].some((name) => name.endsWith('.q_weight'))
}

/** Number of weights: eight four-bit codes in a word, scales not counted. */
export function weightCount(parameters: ReadonlyMap<string, MlcParameterShape>): number {
  let count = 0
  for (const [name, { shape }] of parameters)
    if (!name.endsWith('.q_scale')) count += elementCount(shape) * (name.endsWith('.q_weight') ? 8 : 1)
  return count
}
