/** Encodes numbers as an MLC library of a given quantisation expects, with the names, shapes and types of its metadata. */
import { float16FromFloat32 } from '../language-model/weights/half-precision.ts'
import { quantizeGroups } from '../language-model/weights/group-quantization.ts'
import { MlcFormatError, type MlcParameter } from './mlc-parameters.ts'

export const MLC_QUANTIZATIONS = ['q0f16', 'q0f32', 'q4f16_1', 'q4f32_1'] as const
export type MlcQuantization = (typeof MLC_QUANTIZATIONS)[number]
export type MlcType = 'float16' | 'float32' | 'uint32'

export interface MlcTensor {
  name: string
  shape: readonly number[]
  dtype: MlcType
  bytes: Uint8Array<ArrayBuffer>
}

export function floatTypeOf(quantization: MlcQuantization): 'float16' | 'float32' {
  return quantization.includes('f16') ? 'float16' : 'float32'
}

/** Whether an update changes the model: rounding to four bits would lose it. */
export function canLearn(quantization: MlcQuantization): boolean {
  return quantization.startsWith('q0')
}

/**
 * One parameter as one tensor, or as words and scales if matrices are quantised; norms and biases never are. Throws
 * MlcFormatError for numbers that the type cannot represent.
 */
export function encodeParameter(
  parameter: MlcParameter,
  values: Float32Array,
  quantization: MlcQuantization,
): MlcTensor[] {
  const { name, shape } = parameter
  const type = floatTypeOf(quantization)
  if (canLearn(quantization) || shape.length < 2)
    return [{ name, shape, dtype: type, bytes: floats(values, type, name) }]
  const stem = name.replace(/\.weight$/, '')
  // Checked first, because codes would hide a number that is too large.
  if (type === 'float16') floats(values, type, name)
  const quantized = quantizeGroups(values, shape[0]!, shape[1]!, type)
  return [
    { name: `${stem}.q_weight`, shape: quantized.wordsShape, dtype: 'uint32', bytes: bytesOf(quantized.words) },
    {
      name: `${stem}.q_scale`,
      shape: quantized.scalesShape,
      dtype: type,
      bytes: floats(quantized.scales, type, `${stem}.q_scale`),
    },
  ]
}

export function bytesPerElement(dtype: string): number {
  if (dtype === 'float16' || dtype === 'bfloat16') return 2
  if (dtype === 'float32' || dtype === 'uint32' || dtype === 'int32') return 4
  throw new MlcFormatError(
    `Tensors of type ${dtype} are not supported. Use a q0f16, q0f32, q4f16_1 or q4f32_1 library.`,
  )
}

function floats(values: Float32Array, type: 'float16' | 'float32', name: string): Uint8Array<ArrayBuffer> {
  const encoded = type === 'float16' ? float16FromFloat32(values) : values.slice()
  const lost = values.findIndex(
    (value, i) => !Number.isFinite(value) || (encoded instanceof Uint16Array && (encoded[i]! & 0x7c00) === 0x7c00),
  )
  if (lost >= 0)
    throw new MlcFormatError(
      `"${name}" holds ${values[lost]!} at index ${lost}, which ${type} cannot represent. ${Number.isFinite(values[lost]) ? 'Use a library with float32 weights (q0f32 or q4f32_1).' : 'The weights have diverged: go back to an earlier checkpoint.'}`,
    )
  return bytesOf(encoded)
}

function bytesOf(array: Float32Array | Uint16Array | Uint32Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength)
}
