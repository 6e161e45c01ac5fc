/** Downloads a WebLLM model into the cache before a run, file by file, so that an interrupted download can continue. */
import {
  countedBytes,
  ForbiddenFileError,
  ModelFileError,
  refusalText,
} from '../../language-model/files/model-reader.ts'
import { TEMPLATE_FILES } from '../../language-model/tokens/chat-template-files.ts'
import { readTensorCache, TENSOR_CACHE_FILE } from '../../weight-formats/tensor-cache.ts'
import { CACHE_SCOPES, knowMissing, modelFolder, type CacheScope, type ModelFiles } from './model-files.ts'
import type { ModelRecord } from '../../roles/source.ts'

/** Throws ModelFileError, MlcFormatError or the signal's reason, and keeps complete files. `onBytes` includes cached files. */
export async function downloadModel(
  files: ModelFiles,
  record: ModelRecord,
  onBytes: (done: number, total: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const folder = modelFolder(record.model)
  const known = new Set<string>()
  for (const scope of CACHE_SCOPES) for (const { address } of await files.list(scope)) known.add(address)
  let done = 0
  let total = 0
  const bring = async (
    scope: CacheScope,
    address: string,
    check: (bytes: Uint8Array) => void = () => {},
  ): Promise<void> => {
    if (known.has(address)) return
    const bytes = await fetched(address, signal, (count) => onBytes((done += count), Math.max(total, done)))
    check(bytes)
    await files.write(scope, address, bytes)
  }
  const list = folder + TENSOR_CACHE_FILE
  const shardsOf = (bytes: Uint8Array) => readTensorCache(bytes, record.model_id).records
  // First, because it is checked before it is kept: some servers answer every address with a page.
  await bring('webllm/model', list, shardsOf)
  const shards = shardsOf(await files.read('webllm/model', list))
  await bring('webllm/config', `${folder}mlc-chat-config.json`)
  total = done + shards.reduce((sum, { nbytes }) => sum + nbytes, 0)
  // Also that some are missing: the model is then complete without a network.
  for (const address of TEMPLATE_FILES.map((name) => folder + name))
    await knowMissing(files, 'webllm/config', address, () => bring('webllm/config', address)).catch(unlessMissing)
  await bring('webllm/model', `${folder}tokenizer.json`)
  await bring('webllm/wasm', record.model_lib)
  total = done + shards.reduce((sum, { nbytes }) => sum + nbytes, 0)
  for (const { dataPath, nbytes } of shards) {
    signal.throwIfAborted()
    if (known.has(folder + dataPath)) onBytes((done += nbytes), total)
    else await bring('webllm/model', folder + dataPath)
  }
}

function unlessMissing(error: unknown): void {
  if (!(error instanceof ModelFileError && error.isMissing)) throw error
}

async function fetched(
  address: string,
  signal: AbortSignal,
  onCount: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  let response: Response
  try {
    response = await fetch(address, { signal })
    if (response.ok && response.body)
      return new Uint8Array(await new Response(countedBytes(response.body, onCount)).arrayBuffer())
  } catch (cause) {
    signal.throwIfAborted()
    throw new ModelFileError(
      `${address} was interrupted or could not be reached. Download again to continue after the last complete file.`,
      {
        cause,
      },
    )
  }
  const refusal = refusalText(address, response.status)
  if (response.status === 401 || response.status === 403) throw new ForbiddenFileError(refusal)
  throw new ModelFileError(refusal, { isMissing: response.status === 404 || response.status === 410 })
}
