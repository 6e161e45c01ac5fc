/** Lists, sizes and removes models in the cache, and adds models from a local folder. */
import { MlcFormatError } from '../../weight-formats/mlc-parameters.ts'
import { OLD_TENSOR_CACHE_FILE, readTensorCache, TENSOR_CACHE_FILE } from '../../weight-formats/tensor-cache.ts'
import { PROMPT_FILES } from '../transformer/model-files.ts'
import { removeModel } from './reloaded-weights.ts'
import { CACHE_SCOPES, keepMissing, modelFolder, type CacheScope, type ModelFiles } from './model-files.ts'
import type { ModelRecord } from '../../roles/source.ts'

export interface StoredModel {
  id: string
  bytes: number
  /** False after an interrupted download, which loading continues. */
  isComplete: boolean
}

/** The given records that have files in the cache. */
export async function storedModels(files: ModelFiles, records: readonly ModelRecord[]): Promise<StoredModel[]> {
  const bytesAt = new Map<string, number>()
  for (const scope of CACHE_SCOPES)
    for (const { address, bytes } of await files.list(scope)) bytesAt.set(address, bytes)
  const stored: StoredModel[] = []
  for (const { model_id, model, model_lib } of records) {
    const folder = modelFolder(model)
    const own = [...bytesAt].filter(([address]) => address.startsWith(folder))
    if (own.length === 0) continue
    const library = model_lib.startsWith(folder) ? 0 : (bytesAt.get(model_lib) ?? 0)
    const bytes = own.reduce((sum, [, size]) => sum + size, library)
    stored.push({ id: model_id, bytes, isComplete: await isComplete(files, folder, bytesAt) })
  }
  return stored
}

/** Removes a model's weights, tokenizer and configuration, and its library unless another of `records` shares it. */
export async function deleteModel(
  files: ModelFiles,
  record: ModelRecord,
  records: readonly ModelRecord[],
): Promise<void> {
  const folder = modelFolder(record.model)
  for (const scope of CACHE_SCOPES)
    for (const { address } of await files.list(scope)) {
      const isLibrary = address === record.model_lib && !(await isShared(files, record, records))
      if (address.startsWith(folder) || isLibrary) await files.remove(scope, address)
    }
}

export class LocalFolderError extends Error {
  override name = 'LocalFolderError'
}

export interface LocalFile {
  /** Without its folder. */
  name: string
  read(): Promise<Uint8Array<ArrayBuffer>>
}

/**
 * Copies a model from local files into the cache, under an address of this site that no server answers, and returns its record.
 * Throws LocalFolderError naming missing or cut files, and ModelFileError for a full cache; then nothing is stored.
 */
export async function keepLocalModel(
  files: ModelFiles,
  id: string,
  origin: string,
  folder: readonly LocalFile[],
): Promise<ModelRecord> {
  const byName = new Map(folder.map((file) => [file.name, file]))
  const library = folder.find(({ name }) => name.endsWith('.wasm'))
  const tensors = byName.get(TENSOR_CACHE_FILE) ?? byName.get(OLD_TENSOR_CACHE_FILE)
  const config = byName.get('mlc-chat-config.json')
  const tokenizer = byName.get('tokenizer.json')
  if (!library || !tensors || !config || !tokenizer) {
    const missing = [
      ...(config ? [] : ['mlc-chat-config.json']),
      ...(tokenizer ? [] : ['tokenizer.json']),
      ...(tensors ? [] : [TENSOR_CACHE_FILE]),
      ...(library ? [] : ['the compiled library (.wasm)']),
    ]
    throw new LocalFolderError(
      `The folder lacks ${missing.join(', ')}. Choose a folder that npm run build:webllm wrote, or one of mlc_llm with its library in it.`,
    )
  }
  const json = await tensors.read()
  const cache = readTensorCache(json, id)
  const shards = cache.records.map(({ dataPath, nbytes }) => {
    const shard = byName.get(dataPath)
    if (!shard) throw new LocalFolderError(`The folder lacks ${dataPath}, which ${tensors.name} names. Copy it again.`)
    return { shard, nbytes }
  })
  const address = `${origin}/local-models/${encodeURIComponent(id)}/resolve/main/`
  const keep = (scope: CacheScope, name: string, bytes: Uint8Array<ArrayBuffer>) =>
    files.write(scope, address + name, bytes)
  try {
    for (const { shard, nbytes } of shards) {
      const bytes = await shard.read()
      if (bytes.length !== nbytes)
        throw new LocalFolderError(
          `${shard.name} has ${bytes.length} bytes instead of ${nbytes}: the copy is not whole. Copy the folder again.`,
        )
      await keep('webllm/model', shard.name, bytes)
    }
    await keep('webllm/model', TENSOR_CACHE_FILE, json)
    await keep('webllm/model', 'tokenizer.json', await tokenizer.read())
    await keep('webllm/config', 'mlc-chat-config.json', await config.read())
    for (const name of PROMPT_FILES) {
      const file = byName.get(name)
      if (file) await keep('webllm/config', name, await file.read())
      else await keepMissing(files, 'webllm/config', address + name)
    }
    await keep('webllm/wasm', library.name, await library.read())
  } catch (cause) {
    // No record names what was kept so far.
    await removeModel(files, address)
    throw cause
  }
  return { model_id: id, model: address, model_lib: address + library.name }
}

async function isComplete(files: ModelFiles, folder: string, bytesAt: ReadonlyMap<string, number>): Promise<boolean> {
  if (!bytesAt.has(folder + TENSOR_CACHE_FILE) || !bytesAt.has(`${folder}tokenizer.json`)) return false
  const bytes = await files.read('webllm/model', folder + TENSOR_CACHE_FILE)
  try {
    return readTensorCache(bytes, folder).records.every(({ dataPath }) => bytesAt.has(folder + dataPath))
  } catch (cause) {
    if (cause instanceof MlcFormatError) return false
    throw cause
  }
}

async function isShared(files: ModelFiles, record: ModelRecord, records: readonly ModelRecord[]): Promise<boolean> {
  const others = records.filter(
    ({ model_id, model_lib }) => model_id !== record.model_id && model_lib === record.model_lib,
  )
  return (await storedModels(files, others)).length > 0
}
