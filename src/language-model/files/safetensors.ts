/** Reads and writes whole safetensors files in memory: checkpoints and small models. Large files are streamed (safetensors-stream.ts). */
import {
  bfloat16FromFloat32,
  float16FromFloat32,
  float32FromBfloat16,
  float32FromFloat16,
} from '../weights/half-precision.ts'
import {
  BYTES_OF,
  cutInData,
  cutInHeader,
  type FloatType,
  headerLength,
  parseHeader,
  PREFIX_BYTES,
} from './safetensors-header.ts'

export { type FloatType, SafetensorsError } from './safetensors-header.ts'

export interface NamedTensor {
  shape: readonly number[]
  values: Float32Array
}

export interface SafetensorsFile {
  metadata: Record<string, string>
  tensors: Map<string, NamedTensor>
}

/** Reads a whole file and widens 16-bit floats. `source` names it in errors. Throws SafetensorsError. */
export function readSafetensors(bytes: Uint8Array, source: string): SafetensorsFile {
  const dataStart = PREFIX_BYTES + headerLength(bytes, source)
  if (dataStart > bytes.length) throw cutInHeader(source, dataStart - bytes.length)
  const { metadata, entries, dataBytes } = parseHeader(bytes.subarray(PREFIX_BYTES, dataStart), source)
  if (dataStart + dataBytes > bytes.length) throw cutInData(source, dataStart + dataBytes - bytes.length)

  const tensors = new Map<string, NamedTensor>()
  for (const { name, dtype, shape, start, end } of entries) {
    // A copy, because a view needs an offset that is a multiple of the element's size. Not slice(): a Node Buffer's returns a view.
    const data = new Uint8Array(end - start)
    data.set(bytes.subarray(dataStart + start, dataStart + end))
    tensors.set(name, { shape, values: widened(data, dtype) })
  }
  return { metadata, tensors }
}

export function writeSafetensors(file: SafetensorsFile, dtype: FloatType = 'F32'): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = { __metadata__: file.metadata }
  let end = 0
  for (const [name, { shape, values }] of file.tensors) {
    const start = end
    end += values.length * BYTES_OF[dtype]
    header[name] = { dtype, shape, data_offsets: [start, end] }
  }
  const json = JSON.stringify(header)
  const encoded = new TextEncoder().encode(json)
  const headerBytes = Math.ceil(encoded.length / 8) * 8
  const bytes = new Uint8Array(PREFIX_BYTES + headerBytes + end)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerBytes), true)
  bytes.fill(0x20, PREFIX_BYTES, PREFIX_BYTES + headerBytes)
  bytes.set(encoded, PREFIX_BYTES)
  let at = PREFIX_BYTES + headerBytes
  for (const { values } of file.tensors.values()) {
    const narrowed =
      dtype === 'F32' ? values : dtype === 'F16' ? float16FromFloat32(values) : bfloat16FromFloat32(values)
    bytes.set(new Uint8Array(narrowed.buffer, narrowed.byteOffset, narrowed.byteLength), at)
    at += narrowed.byteLength
  }
  return bytes
}

/** Numbers of a file as 32-bit floats; a view of `data` if they already are. */
export function widened(data: Uint8Array<ArrayBuffer>, dtype: FloatType): Float32Array {
  const { buffer, byteOffset, byteLength } = data
  switch (dtype) {
    case 'F32':
      return new Float32Array(buffer, byteOffset, byteLength / 4)
    case 'F16':
      return float32FromFloat16(new Uint16Array(buffer, byteOffset, byteLength / 2))
    case 'BF16':
      return float32FromBfloat16(new Uint16Array(buffer, byteOffset, byteLength / 2))
  }
}
