/**
 * TVM's tensor cache: tensors in shards of at most 32 MiB, and a JSON file that says where each one is.
 *
 *     { "metadata": { "ParamSize", "ParamBytes", "BitsPerParam" },
 *       "records": [{ "dataPath", "format": "raw-shard", "nbytes", "md5sum",
 *                     "records": [{ "name", "shape", "dtype", "format": "raw", "nbytes", "byteOffset" }] }] }
 *
 * Tensors fill a shard in order. One that would overflow it starts the next or, if it takes half a shard or more, becomes a shard
 * of its own while the current one continues to fill.
 */
import { md5 } from '@noble/hashes/legacy.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import * as v from 'valibot'
import type { MlcTensor } from './mlc-encoding.ts'
import { elementCount, MlcFormatError } from './mlc-parameters.ts'
import { joinArrays } from '../method/join-arrays.ts'

export const SHARD_BYTES = 32 * 2 ** 20
export const TENSOR_CACHE_FILE = 'tensor-cache.json'
/** The file's name up to WebLLM 0.2.79. */
export const OLD_TENSOR_CACHE_FILE = 'ndarray-cache.json'

const size = v.pipe(v.number(), v.integer(), v.minValue(0))
const recordSchema = v.object({
  name: v.string(),
  shape: v.array(size),
  dtype: v.string(),
  format: v.string(),
  nbytes: size,
  byteOffset: size,
})
const cacheSchema = v.object({
  metadata: v.optional(v.record(v.string(), v.unknown()), {}),
  records: v.array(
    v.object({
      dataPath: v.string(),
      format: v.string(),
      nbytes: size,
      md5sum: v.optional(v.string()),
      records: v.array(recordSchema),
    }),
  ),
})
export type TensorRecord = v.InferOutput<typeof recordSchema>
export type TensorCache = v.InferOutput<typeof cacheSchema>

export interface NamedFile {
  name: string
  bytes: Uint8Array<ArrayBuffer>
}

/** Writes shards as they fill up; holds one shard at a time. */
export class TensorCacheWriter {
  readonly #shardBytes: number
  readonly #shards: TensorCache['records'] = []
  #pending: Uint8Array[] = []
  #pendingRecords: TensorRecord[] = []
  #pendingBytes = 0

  constructor(shardBytes = SHARD_BYTES) {
    this.#shardBytes = shardBytes
  }

  /** Returns the shards that this tensor completes: its own, the previous one, or none. */
  add({ name, shape, dtype, bytes }: MlcTensor): NamedFile[] {
    const record: TensorRecord = {
      name,
      shape: [...shape],
      dtype,
      format: 'raw',
      nbytes: bytes.length,
      byteOffset: 0,
    }
    const complete: NamedFile[] = []
    if (this.#pendingBytes + bytes.length >= this.#shardBytes) {
      if (2 * bytes.length >= this.#shardBytes) return [this.#shard([bytes], [record])]
      complete.push(...this.#flush())
    }
    record.byteOffset = this.#pendingBytes
    this.#pending.push(bytes)
    this.#pendingRecords.push(record)
    this.#pendingBytes += bytes.length
    return complete
  }

  /** Returns the last shard, if it is not empty, and the JSON file. */
  finish(): NamedFile[] {
    const complete = this.#flush()
    const records = this.#shards.flatMap((shard) => shard.records)
    const totalBytes = records.reduce((sum, { nbytes }) => sum + nbytes, 0)
    const weights = records.reduce((sum, record) => sum + weightsIn(record), 0)
    const cache: TensorCache = {
      metadata: {
        ParamSize: records.length,
        ParamBytes: totalBytes,
        BitsPerParam: (8 * totalBytes) / Math.max(1, weights),
      },
      records: this.#shards,
    }
    return [...complete, { name: TENSOR_CACHE_FILE, bytes: new TextEncoder().encode(JSON.stringify(cache, null, 4)) }]
  }

  #flush(): NamedFile[] {
    if (this.#pendingBytes === 0) return []
    const file = this.#shard(this.#pending, this.#pendingRecords)
    this.#pending = []
    this.#pendingRecords = []
    this.#pendingBytes = 0
    return [file]
  }

  #shard(parts: readonly Uint8Array[], records: TensorRecord[]): NamedFile {
    const bytes = joinArrays(Uint8Array, parts)
    const name = `params_shard_${this.#shards.length}.bin`
    const md5sum = bytesToHex(md5(bytes))
    this.#shards.push({ dataPath: name, format: 'raw-shard', nbytes: bytes.length, records, md5sum })
    return { name, bytes }
  }
}

export function* writeTensorCache(tensors: Iterable<MlcTensor>, shardBytes = SHARD_BYTES): Generator<NamedFile> {
  const writer = new TensorCacheWriter(shardBytes)
  for (const tensor of tensors) yield* writer.add(tensor)
  yield* writer.finish()
}

/** Throws MlcFormatError; `source` names the model in its message. */
export function readTensorCache(bytes: Uint8Array, source: string): TensorCache {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new MlcFormatError(
      `${TENSOR_CACHE_FILE} of "${source}" is not JSON: something else is at its address. Check the address of the model, or remove the model under Models and load it again.`,
      { cause },
    )
  }
  return parseTensorCache(json, source)
}

/** Throws MlcFormatError; `source` names the model in its message. */
export function parseTensorCache(json: unknown, source: string): TensorCache {
  const parsed = v.safeParse(cacheSchema, json)
  if (parsed.success) return parsed.output
  const issue = parsed.issues[0]
  throw new MlcFormatError(
    `${TENSOR_CACHE_FILE} of "${source}" cannot be read: ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}. Load the model again, or convert it again with mlc_llm convert_weight.`,
  )
}

/** A view of a tensor's bytes within its shard. Throws MlcFormatError if the shard is too short. */
export function tensorBytes(shard: Uint8Array, record: TensorRecord): Uint8Array {
  const end = record.byteOffset + record.nbytes
  if (end > shard.length)
    throw new MlcFormatError(
      `The shard that holds "${record.name}" is ${end - shard.length} bytes short: its download was interrupted. Remove the model under Models and load it again.`,
    )
  return shard.subarray(record.byteOffset, end)
}

/** Number of weights in a record: eight four-bit codes to a word, and none for scales. */
function weightsIn({ name, shape }: TensorRecord): number {
  if (name.endsWith('.q_scale')) return 0
  return elementCount(shape) * (name.endsWith('.q_weight') ? 8 : 1)
}
