/** What reads MLC's weights back. */
import { float32FromFloat16 } from '../../src/language-model/weights/half-precision.ts'
import { bytesPerElement, canLearn, floatTypeOf, type MlcQuantization } from '../../src/weight-formats/mlc-encoding.ts'
import { elementCount, type MlcParameter } from '../../src/weight-formats/mlc-parameters.ts'

export function decodeFloats(bytes: Uint8Array, dtype: string): Float32Array {
  const { buffer } = new Uint8Array(bytes)
  return dtype === 'float16' ? float32FromFloat16(new Uint16Array(buffer)) : new Float32Array(buffer)
}

/** Bytes of a model's weights in a quantisation. */
export function encodedBytes(parameters: readonly MlcParameter[], quantization: MlcQuantization): number {
  const float = bytesPerElement(floatTypeOf(quantization))
  return parameters.reduce((sum, { shape }) => {
    if (canLearn(quantization) || shape.length < 2) return sum + float * elementCount(shape)
    const groups = shape[0]! * Math.ceil(shape[1]! / 32)
    return sum + groups * (16 + float)
  }, 0)
}

/** The parts of a fused parameter, by Hugging Face's names. */
export function unfuse(parameter: MlcParameter, whole: Float32Array): [name: string, values: Float32Array][] {
  let at = 0
  return parameter.parts.map(({ name, shape }) => [name, whole.subarray(at, (at += elementCount(shape)))])
}
