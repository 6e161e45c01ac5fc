/**
 * Locates a trainer's weights in the parameters of a compiled model. MLC joins matrices that read the same input, with their rows
 * one below the other, so that each is a contiguous part:
 *
 *     c_attn [ q ; k ; v ],   gate_up_proj [ gate ; up ]
 */
import { bytesPerElement } from '../../weight-formats/mlc-encoding.ts'
import { elementCount, MlcFormatError, partNames } from '../../weight-formats/mlc-parameters.ts'
import { isQuantized, type MlcParameterShape } from './weight-bytes.ts'

export interface WeightPart {
  /** Hugging Face's name. */
  name: string
  /** Bytes and offset in the parameter. */
  offset: number
  bytes: number
  /** False for another part of the same parameter. */
  isChanged: boolean
}

export interface ChangedParameter {
  /** MLC's name. */
  name: string
  type: 'float16' | 'float32'
  parts: readonly WeightPart[]
}

/** The trainer's shapes, by Hugging Face name. */
export interface TrainerWeights {
  changing: ReadonlyMap<string, readonly number[]>
  all: ReadonlyMap<string, readonly number[]>
}

/** In the model's order. Throws MlcFormatError if sampler and trainer are different models, or the sampler is quantised. */
export function changedParameters(
  parameters: ReadonlyMap<string, MlcParameterShape>,
  { changing, all }: TrainerWeights,
  source: string,
): ChangedParameter[] {
  if (isQuantized(parameters))
    throw new MlcFormatError(
      `"${source}" has four-bit weights, which would round an update away. Sample with its q0f16 or q0f32 variant.`,
    )
  const left = new Set(changing.keys())
  const changed: ChangedParameter[] = []
  for (const [name, { shape, dtype }] of parameters) {
    const names = partNames(name)
    if (!names.some((part) => left.has(part))) continue
    if (dtype !== 'float16' && dtype !== 'float32')
      throw new MlcFormatError(`"${source}" stores ${name} as ${dtype}. Sample with a q0f16 or q0f32 model.`)
    let offset = 0
    const parts = names.map((part): WeightPart => {
      const bytes = elementCount(all.get(part) ?? [0]) * bytesPerElement(dtype)
      const made = { name: part, offset, bytes, isChanged: left.delete(part) }
      offset += bytes
      return made
    })
    if (offset !== elementCount(shape) * bytesPerElement(dtype) || parts.some(({ bytes }) => bytes === 0))
      throw otherModel(
        source,
        `${name} is [${shape.join(', ')}] there, and does not consist of ${names.join(', ')} here`,
      )
    changed.push({ name, type: dtype, parts })
  }
  if (left.size > 0) throw otherModel(source, `it has no ${[...left].slice(0, 3).join(', ')}`)
  return changed
}

function otherModel(source: string, why: string): MlcFormatError {
  return new MlcFormatError(
    `"${source}" cannot sample for the model that is trained, because ${why}. Choose the same model for both.`,
  )
}
