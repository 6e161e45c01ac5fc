/** Loads a model with WebLLM: checks its files and its library, and opens WebLLM's internals or, without them, its public interface. */
import { DeviceWatch } from '../../language-model/backends/device-watch.ts'
import { Tokenizer } from '../../language-model/tokens/tokenizer.ts'
import type { Tokens } from '../../method/ports.ts'
import type { OnBytes } from '../../roles/role-model.ts'
import type { ModelRecord } from '../../roles/source.ts'
import { rawTemplate } from '../../weight-formats/mlc-chat-config.ts'
import { readTensorCache, TENSOR_CACHE_FILE } from '../../weight-formats/tensor-cache.ts'
import { BatchedSampler, type GroupLimits } from './batched-sampler.ts'
import { checkReadable, checkShards, loadError, ModelLoadError, readLibrary } from './library.ts'
import { modelFolder, type ModelFiles } from './model-files.ts'
import { openInternals } from './open-internals.ts'
import { changedFolders, removeModel } from './reloaded-weights.ts'
import type { Sampler } from './sampler.ts'
import { SamplingProcessor, SequentialSampler } from './sequential-sampler.ts'
import type { PublicEngine, WebLlmModule } from './surface.ts'
import { checkVersion } from './version.ts'
import type { WebLlmInternals } from './webllm-internals.ts'
import type { MlcParameterShape } from './weight-bytes.ts'

export interface WebLlmSource extends GroupLimits {
  record: ModelRecord
  /** Additional stop tokens, beside those of the model's own template. */
  stopTokens?: readonly number[]
}

export interface WebLlmParts {
  importModule: () => Promise<WebLlmModule>
  files: ModelFiles
}

export interface LoadedModel {
  source: WebLlmSource
  engine: PublicEngine
  tokenizer: Tokenizer
  /** Shared with the sampler, which reads it at every token. */
  stopTokens: Set<number>
  processor: SamplingProcessor
  parameters: ReadonlyMap<string, MlcParameterShape>
  internals: WebLlmInternals | null
  missing: readonly string[]
  rollout: Sampler
  /** Samples under a grammar: `rollout`, or the public interface if the grammar's matcher lacks an internal. */
  formatted: Sampler
  /** Samples with the public interface. */
  publicly: Sampler
  /** The compiled library. */
  library: Blob
  /** Folder of the loaded weights: the source's, or that of a changed copy. */
  folder: string
  /** The weights differ from the source. */
  isChanged: boolean
  /** Null if the device is inaccessible. */
  watch: DeviceWatch | null
}

/** Throws ModelFileError, ModelLoadError, TokenizerError, MlcFormatError or UnknownVersionError. */
export async function openModel(
  { files, importModule }: WebLlmParts,
  source: WebLlmSource,
  onBytes?: OnBytes,
): Promise<LoadedModel> {
  const { record } = source
  const folder = modelFolder(record.model)
  // Left over if the page was closed while weights were changing.
  for (const copy of changedFolders(folder)) await removeModel(files, copy)
  const readJson = async (scope: 'webllm/config' | 'webllm/model', name: string): Promise<unknown> =>
    JSON.parse(new TextDecoder().decode(await files.read(scope, folder + name)))
  const config = (await readJson('webllm/config', 'mlc-chat-config.json')) as {
    conv_template?: { stop_token_ids?: number[] }
  }
  const cache = readTensorCache(await files.read('webllm/model', folder + TENSOR_CACHE_FILE), record.model_id)
  const total = cache.records.reduce((sum, { nbytes }) => sum + nbytes, 0)
  const tokenizer = new Tokenizer(await readJson('webllm/model', 'tokenizer.json'), record.model_id)
  const stopTokens = new Set([...(config.conv_template?.stop_token_ids ?? []), ...(source.stopTokens ?? [])])
  await checkShards(files, folder, cache)
  const library = await readLibrary(files, record)
  const module = await importModule()
  checkVersion(module)
  const { MLCEngine } = module
  const processor = new SamplingProcessor()
  const engine = new MLCEngine({
    appConfig: { model_list: [record] },
    logitProcessorRegistry: new Map([[record.model_id, processor]]),
    logLevel: 'WARN',
    ...(onBytes && { initProgressCallback: ({ progress }) => onBytes(Math.round(progress * total), total) }),
  })
  const stored = new Map(
    cache.records.flatMap(({ records }) => records.map(({ name, shape, dtype }) => [name, { shape, dtype }] as const)),
  )
  return startModel({ source, engine, tokenizer, stopTokens, processor, parameters: stored, folder, library })
}

/** Loads the weights from `folder`, under the id of the source. */
export async function startModel(
  parts: Pick<
    LoadedModel,
    'source' | 'engine' | 'tokenizer' | 'stopTokens' | 'processor' | 'parameters' | 'folder' | 'library'
  >,
): Promise<LoadedModel> {
  const { source, engine, tokenizer, stopTokens, processor, library, folder } = parts
  const modelId = source.record.model_id
  // An address of this thread, because WebLLM does not read libraries from its cache on localhost.
  const address = URL.createObjectURL(library)
  try {
    await checkReadable(modelId, address)
    engine.setAppConfig({ model_list: [{ ...source.record, model: folder, model_lib: address }] })
    await engine.reload(modelId, {
      conv_template: rawTemplate([...stopTokens]),
      context_window_size: source.contextWindow,
      sliding_window_size: -1,
      temperature: 1,
      top_p: 1,
      repetition_penalty: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
    })
  } catch (cause) {
    throw cause instanceof ModelLoadError ? cause : loadError(modelId, cause)
  } finally {
    URL.revokeObjectURL(address)
  }
  const { internals, missing } = openInternals(engine, modelId)
  const watch = internals && new DeviceWatch(internals.device)
  const decode = (tokens: Tokens) => tokenizer.decode(tokens)
  const publicly = new SequentialSampler(engine, processor, {
    modelId,
    contextWindow: source.contextWindow,
    stopTokens,
    encode: (text) => tokenizer.encode(text),
    decode,
  })
  const parameters = internals?.parameters ?? parts.parameters
  try {
    const rollout = internals === null ? publicly : new BatchedSampler(internals, { ...source, stopTokens, decode })
    return { ...parts, parameters, internals, missing, rollout, formatted: rollout, publicly, isChanged: false, watch }
  } catch (cause) {
    // The first error says more than one of unloading.
    await unloadEngine({ engine, watch }).catch(() => {})
    throw loadError(modelId, cause)
  }
}

export async function unloadEngine({ engine, watch }: Pick<LoadedModel, 'engine' | 'watch'>): Promise<void> {
  // WebLLM unloads by itself when its device is lost, and must not free the same objects twice.
  if (!watch?.isLost) await engine.unload()
}
