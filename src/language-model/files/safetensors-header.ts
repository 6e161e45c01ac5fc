/**
 * The header of a safetensors file: eight bytes with its length, then JSON that says where each tensor is, then the tensors.
 *
 *     { "__metadata__": { string: string }, "name": { "dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24] }, ... }
 */
import * as v from 'valibot'

export type FloatType = 'F32' | 'F16' | 'BF16'

export const BYTES_OF: Readonly<Record<FloatType, number>> = { F32: 4, F16: 2, BF16: 2 }

/** Bytes before the header. */
export const PREFIX_BYTES = 8

export interface TensorEntry {
  name: string
  dtype: FloatType
  shape: readonly number[]
  /** Bytes after the end of the header. */
  start: number
  end: number
}

export interface SafetensorsHeader {
  metadata: Record<string, string>
  /** In the header's order. */
  entries: readonly TensorEntry[]
  /** Bytes of all tensors together. */
  dataBytes: number
}

export class SafetensorsError extends Error {
  override name = 'SafetensorsError'
}

const HEADER_LIMIT_BYTES = 100_000_000
const LOAD_AGAIN = 'Load it again; if that does not help, replace the file with an intact copy.'

const size = v.pipe(v.number(), v.integer(), v.minValue(0))
const headerSchema = v.objectWithRest(
  { __metadata__: v.optional(v.record(v.string(), v.string()), {}) },
  v.object({ dtype: v.string(), shape: v.array(size), data_offsets: v.tuple([size, size]) }),
)

/** Reads the header's length from the file's first bytes. `source` names the file in errors. Throws SafetensorsError. */
export function headerLength(prefix: Uint8Array, source: string): number {
  if (prefix.length < PREFIX_BYTES)
    throw new SafetensorsError(
      `"${source}" has ${prefix.length} bytes and no header: the file was cut, for example by an interrupted download. ${LOAD_AGAIN}`,
    )
  const length = Number(new DataView(prefix.buffer, prefix.byteOffset).getBigUint64(0, true))
  if (length > HEADER_LIMIT_BYTES)
    throw new SafetensorsError(
      `"${source}" is not a safetensors file: its header would be larger than any real one. Choose a file that ends in .safetensors.`,
    )
  return length
}

/** Reads a header's bytes. Throws SafetensorsError, also for a tensor that is not of floats. */
export function parseHeader(bytes: Uint8Array, source: string): SafetensorsHeader {
  const fail = (message: string, cause?: unknown): never => {
    throw new SafetensorsError(`"${source}" ${message}`, { cause })
  }
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    fail('is not a safetensors file: its header is not JSON. Choose a file that ends in .safetensors.', cause)
  }
  const parsed = v.safeParse(headerSchema, json)
  if (!parsed.success)
    return fail(
      `has a header that does not follow the format (${v.getDotPath(parsed.issues[0]) ?? 'header'}: ${parsed.issues[0].message}). Save it again with a current safetensors library.`,
    )
  const { __metadata__: metadata, ...described } = parsed.output
  let dataBytes = 0
  const entries = Object.entries(described).map(
    ([
      name,
      {
        dtype,
        shape,
        data_offsets: [start, end],
      },
    ]): TensorEntry => {
      if (!isFloatType(dtype))
        return fail(
          `holds "${name}" as ${dtype}, but only F32, F16 and BF16 can be read. Choose a checkpoint that is not quantised.`,
        )
      const expected = shape.reduce((product, dimension) => product * dimension, 1) * BYTES_OF[dtype]
      if (end - start !== expected)
        fail(
          `says that "${name}" of shape [${shape.join(', ')}] has ${end - start} bytes instead of ${expected}: the file is damaged. ${LOAD_AGAIN}`,
        )
      dataBytes = Math.max(dataBytes, end)
      return { name, dtype, shape, start, end }
    },
  )
  return { metadata, entries, dataBytes }
}

/** Reports that `missing` bytes of the header are missing. */
export function cutInHeader(source: string, missing: number): SafetensorsError {
  return new SafetensorsError(
    `"${source}" is cut off inside its header: ${inWords(missing)} of the header are missing. ${LOAD_AGAIN}`,
  )
}

/** Reports that `missing` bytes of the tensors are missing. */
export function cutInData(source: string, missing: number): SafetensorsError {
  return new SafetensorsError(
    `"${source}" is ${inWords(missing)} short: the file was cut, for example by an interrupted download. ${LOAD_AGAIN}`,
  )
}

export function overlapping(source: string, name: string): SafetensorsError {
  return new SafetensorsError(
    `"${source}" says that "${name}" begins inside another tensor: the file is damaged. ${LOAD_AGAIN}`,
  )
}

function isFloatType(dtype: string): dtype is FloatType {
  return dtype in BYTES_OF
}

function inWords(bytes: number): string {
  return bytes >= 1e6
    ? `${(bytes / 1e6).toFixed(1)} MB`
    : bytes >= 1e3
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${bytes} bytes`
}
