/**
 * The safetensors format: eight bytes with the length of a JSON header, the header, the tensors one after the other.
 *
 *     { "__metadata__": { string: string }, "name": { "dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24] }, ... }
 */
import * as v from 'valibot'
import { bfloat16FromFloat32, float16FromFloat32, float32FromBfloat16, float32FromFloat16 } from './half-precision.ts'

export type FloatType = 'F32' | 'F16' | 'BF16'

export interface NamedTensor {
  shape: readonly number[]
  values: Float32Array
}

export interface SafetensorsFile {
  metadata: Record<string, string>
  tensors: Map<string, NamedTensor>
}

export class SafetensorsError extends Error {
  override name = 'SafetensorsError'
}

const HEADER_LIMIT_BYTES = 100_000_000
const BYTES_OF: Record<FloatType, number> = { F32: 4, F16: 2, BF16: 2 }

const size = v.pipe(v.number(), v.integer(), v.minValue(0))
const headerSchema = v.objectWithRest(
  { __metadata__: v.optional(v.record(v.string(), v.string()), {}) },
  v.object({ dtype: v.string(), shape: v.array(size), data_offsets: v.tuple([size, size]) }),
)

/** Reads a whole file, 16-bit floats widened. `source` names it in errors. Throws SafetensorsError. */
export function readSafetensors(bytes: Uint8Array, source: string): SafetensorsFile {
  const fail = (message: string, cause?: unknown): never => {
    throw new SafetensorsError(`"${source}" ${message}`, { cause })
  }
  const advice = 'Load it again; if that does not help, replace the file with the one from the model’s own repository.'
  if (bytes.length < 8) fail(`has ${bytes.length} bytes and no header: the file was cut while downloading. ${advice}`)
  const headerBytes = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true))
  if (headerBytes > HEADER_LIMIT_BYTES)
    fail(
      'is not a safetensors file: its header would be larger than any real one. Choose a file that ends in .safetensors.',
    )
  if (8 + headerBytes > bytes.length)
    fail(
      `is cut off inside its header: ${inWords(8 + headerBytes - bytes.length)} of the header are missing. ${advice}`,
    )

  let json: unknown
  try {
    json = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + headerBytes)))
  } catch (cause) {
    fail('is not a safetensors file: its header is not JSON. Choose a file that ends in .safetensors.', cause)
  }
  const parsed = v.safeParse(headerSchema, json)
  if (!parsed.success)
    return fail(
      `has a header that does not follow the format (${v.getDotPath(parsed.issues[0]) ?? 'header'}: ${parsed.issues[0].message}). Save it again with a current safetensors library.`,
    )
  const { __metadata__: metadata, ...entries } = parsed.output

  const dataStart = 8 + headerBytes
  const declaredEnd = Object.values(entries).reduce((end, entry) => Math.max(end, entry.data_offsets[1]), 0)
  if (dataStart + declaredEnd > bytes.length)
    fail(`is ${inWords(dataStart + declaredEnd - bytes.length)} short: the file was cut while downloading. ${advice}`)

  const tensors = new Map<string, NamedTensor>()
  for (const [
    name,
    {
      dtype,
      shape,
      data_offsets: [start, end],
    },
  ] of Object.entries(entries)) {
    if (!isFloatType(dtype))
      return fail(
        `holds "${name}" as ${dtype}, and only F32, F16 and BF16 can be read. Choose a checkpoint that is not quantised.`,
      )
    const length = shape.reduce((product, dimension) => product * dimension, 1)
    if (end - start !== length * BYTES_OF[dtype])
      fail(
        `says that "${name}" of shape [${shape.join(', ')}] has ${end - start} bytes instead of ${length * BYTES_OF[dtype]}: the file is damaged. ${advice}`,
      )
    // A copy, because a view would need the offset to be a multiple of the element's size. Not by slice: a Node Buffer's is a view.
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
  const bytes = new Uint8Array(8 + headerBytes + end)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerBytes), true)
  bytes.fill(0x20, 8, 8 + headerBytes)
  bytes.set(encoded, 8)
  let at = 8 + headerBytes
  for (const { values } of file.tensors.values()) {
    const narrowed =
      dtype === 'F32' ? values : dtype === 'F16' ? float16FromFloat32(values) : bfloat16FromFloat32(values)
    bytes.set(new Uint8Array(narrowed.buffer, narrowed.byteOffset, narrowed.byteLength), at)
    at += narrowed.byteLength
  }
  return bytes
}

function isFloatType(dtype: string): dtype is FloatType {
  return dtype in BYTES_OF
}

function widened(data: Uint8Array<ArrayBuffer>, dtype: FloatType): Float32Array {
  switch (dtype) {
    case 'F32':
      return new Float32Array(data.buffer)
    case 'F16':
      return float32FromFloat16(new Uint16Array(data.buffer))
    case 'BF16':
      return float32FromBfloat16(new Uint16Array(data.buffer))
  }
}

function inWords(bytes: number): string {
  return bytes >= 1e6
    ? `${(bytes / 1e6).toFixed(1)} MB`
    : bytes >= 1e3
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${bytes} bytes`
}
