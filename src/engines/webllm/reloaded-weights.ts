/**
 * Changes weights if buffers cannot be written in place: writes a copy of the model with the new tensors to the cache, under an
 * address of its own that no server answers, and WebLLM loads it from there. Costs a whole load. The download stays unchanged.
 */
import { float32FromBfloat16 } from '../../language-model/weights/half-precision.ts'
import { type MlcTensor, type MlcType } from '../../weight-formats/mlc-encoding.ts'
import {
  OLD_TENSOR_CACHE_FILE,
  readTensorCache,
  TENSOR_CACHE_FILE,
  tensorBytes,
  type TensorRecord,
  TensorCacheWriter,
} from '../../weight-formats/tensor-cache.ts'
import type { ModelFiles } from './model-files.ts'

/** Two folders for changed copies of the model in `folder`, so that one can be made from the other. */
export function changedFolders(folder: string): [string, string] {
  const named = (copy: number) => folder.replace(/\/resolve\//, `-changed-${copy}/resolve/`)
  return [named(1), named(2)]
}

export async function removeModel(files: ModelFiles, folder: string): Promise<void> {
  for (const scope of ['webllm/config', 'webllm/model'] as const)
    for (const { address } of await files.list(scope))
      if (address.startsWith(folder)) await files.remove(scope, address)
}

/** Copies the model at `from` to `to`, replacing the tensors in `changed`. */
export async function writeChangedModel(
  files: ModelFiles,
  from: string,
  to: string,
  changed: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): Promise<void> {
  for (const [scope, name] of [
    ['webllm/config', 'mlc-chat-config.json'],
    ['webllm/model', 'tokenizer.json'],
  ] as const)
    await files.write(scope, to + name, await files.read(scope, from + name))
  const cache = readTensorCache(await files.read('webllm/model', from + TENSOR_CACHE_FILE), from)
  const writer = new TensorCacheWriter()
  const left = new Set(changed.keys())
  for (const { dataPath, records } of cache.records) {
    const shard = await files.read('webllm/model', from + dataPath)
    for (const record of records) {
      left.delete(record.name)
      const tensor = plainTensor(record, tensorBytes(shard, record), changed.get(record.name))
      for (const { name, bytes } of writer.add(tensor)) await files.write('webllm/model', to + name, bytes)
    }
  }
  if (left.size > 0)
    throw new RangeError(`The model at ${from} has no tensor ${[...left].join(', ')}. Take weights of the same model.`)
  for (const { name, bytes } of writer.finish()) {
    await files.write('webllm/model', to + name, bytes)
    // Versions up to 0.2.79 look for the older name, and would ask the network for it.
    if (name === TENSOR_CACHE_FILE) await files.write('webllm/model', to + OLD_TENSOR_CACHE_FILE, bytes)
  }
}

/** Official float32 models are stored as bfloat16 and widened on loading; new weights need full float32. */
function plainTensor(
  record: TensorRecord,
  stored: Uint8Array,
  replacement: Uint8Array<ArrayBuffer> | undefined,
): MlcTensor {
  const { name, shape, dtype, format } = record
  const as = { name, shape, dtype: dtype as MlcType }
  if (replacement !== undefined) return { ...as, bytes: replacement }
  const copy = new Uint8Array(stored)
  if (format !== 'f32-to-bf16' || dtype !== 'float32') return { ...as, bytes: copy }
  return { ...as, bytes: new Uint8Array(float32FromBfloat16(new Uint16Array(copy.buffer)).buffer as ArrayBuffer) }
}
