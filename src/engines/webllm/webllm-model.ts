/**
 * A language model that WebLLM runs, as a LanguageModelPort. It generates but does not train. A trainer (such as an adapter on our
 * own transformer) passes it new weights by their Hugging Face names.
 *
 * It has two implementations of everything, and reports after loading which one is in use:
 *
 *                      with WebLLM's internals                    with its public interface alone
 *     sampling         many sequences at once, shared prompts     one after the other
 *     new weights      into the buffers, between two rollouts     a changed copy in the cache, and loaded again
 *
 * Calls run one after the other, so that a rollout never sees half an update.
 */
import { DeviceWatch } from '../../language-model/backends/device-watch.ts'
import { readSafetensors, writeSafetensors } from '../../language-model/files/safetensors.ts'
import { Tokenizer } from '../../language-model/tokens/tokenizer.ts'
import type {
  Completion,
  GenerateRequest,
  LanguageModelPort,
  SamplingOptions,
  Tokens,
  UpdateMetrics,
} from '../../method/ports.ts'
import { rawTemplate } from '../../weight-formats/mlc-chat-config.ts'
import { readTensorCache, TENSOR_CACHE_FILE } from '../../weight-formats/tensor-cache.ts'
import { BatchedSampler, type GroupLimits } from './batched-sampler.ts'
import { modelFolder, type ModelFiles } from './model-files.ts'
import { changedFolders, removeModel, writeChangedModel } from './reloaded-weights.ts'
import type { Sampler, SamplerOptions } from './sampler.ts'
import { SamplingProcessor, SequentialSampler } from './sequential-sampler.ts'
import type { PublicEngine, ResponseFormat, WebLlmModule } from './surface.ts'
import type { ModelInfo, OnBytes } from '../../roles/role-model.ts'
import type { ModelRecord } from '../../roles/source.ts'
import { openInternals } from './open-internals.ts'
import { checkVersion, PINNED_VERSION } from './version.ts'
import type { GpuSource, WebLlmInternals } from './webllm-internals.ts'
import { checkShards, loadError, readLibrary } from './library.ts'
import { isQuantized, encodedWeights, weightCount, type MlcParameterShape } from './weight-bytes.ts'

export interface WebLlmSource extends GroupLimits {
  record: ModelRecord
  /** Additional stop tokens, beside those of the model's own template. */
  stopTokens?: readonly number[]
}

export interface WebLlmInfo extends ModelInfo {
  /** Many sequences at once and weights in place; false with the public interface. */
  usesInternals: boolean
  /** Internals that this version of WebLLM lacks. */
  missing: readonly string[]
  /** Whether weights can change: not with four-bit ones. */
  acceptsWeights: boolean
}

export interface WebLlmParts {
  importModule: () => Promise<WebLlmModule>
  files: ModelFiles
}

interface Loaded {
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
  /** The compiled library. */
  library: Blob
  /** Folder of the loaded weights: the source's, or that of a changed copy. */
  folder: string
  /** The weights differ from the source. */
  isChanged: boolean
  /** Null if the device is inaccessible. */
  watch: DeviceWatch | null
}

/** The checkpoint of a model with the weights of its source. */
const UNCHANGED = { format: 'pt', weights: 'as in the source' }

export class WebLlmModel implements LanguageModelPort {
  readonly #parts: WebLlmParts
  #loaded: Loaded | null = null
  #checkpoint: Uint8Array | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: WebLlmParts) {
    this.#parts = parts
  }

  /** Loads the model, replacing the current one. Throws ModelFileError, ModelLoadError, TokenizerError or MlcFormatError. */
  load(source: WebLlmSource, onBytes?: OnBytes): Promise<WebLlmInfo> {
    return this.#inTurn(async () => {
      await this.#unload()
      const loaded = await this.#open(source, onBytes)
      this.#loaded = loaded
      const { internals, missing, parameters } = loaded
      return {
        parameters: weightCount(parameters),
        trainedParameters: 0,
        backendDescription: internals
          ? `WebLLM ${PINNED_VERSION}, up to ${source.sequences} sequences at once`
          : `WebLLM, one sequence at a time, because this version lacks ${missing.join(', ')}`,
        maxPositions: source.contextWindow,
        usesInternals: internals !== null,
        missing,
        acceptsWeights: !isQuantized(parameters),
      }
    })
  }

  async encode(texts: readonly string[]): Promise<Tokens[]> {
    const { tokenizer } = this.#model
    return texts.map((text) => tokenizer.encode(text))
  }

  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    return this.#computing(({ rollout }) => rollout.generate(requests, options, signal))
  }

  /** Completions with a required format: an author's rewrite, a judge's score. */
  generateFormatted(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    format: ResponseFormat,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    const formatted: SamplerOptions = { ...options, format }
    return this.#computing(({ rollout }) => rollout.generate(requests, formatted, signal))
  }

  /** log p of every token after the first, given those before it. */
  score(sequences: readonly Tokens[], temperature: number, signal?: AbortSignal): Promise<Float32Array[]> {
    return this.#computing(({ rollout }) => rollout.score(sequences, temperature, signal))
  }

  async update(): Promise<UpdateMetrics> {
    throw new Error(
      'WebLLM runs models but does not train them. Choose a checkpoint for which WebLLM samples, or a built-in model, for a role that learns.',
    )
  }

  /** Sets some or all weights, by their Hugging Face names. Throws MlcFormatError without changing anything. */
  setWeights(weights: ReadonlyMap<string, Float32Array>): Promise<void> {
    return this.#computing(() => this.#setWeights(weights, null))
  }

  /** Sets weights from buffers on WebLLM's own device, with the types and names of its parameters. */
  copyWeights(sources: readonly GpuSource[]): Promise<void> {
    return this.#computing(async (loaded) => {
      if (loaded.internals === null)
        throw new Error('Weights cannot be copied on the device in this version of WebLLM. Use setWeights.')
      loaded.internals.copyParameters(sources)
      loaded.isChanged = true
      this.#checkpoint = null
      await loaded.engine.resetChat(false, loaded.source.record.model_id)
    })
  }

  /** The parameters of the loaded model, by MLC's names. */
  get parameters(): ReadonlyMap<string, MlcParameterShape> {
    return this.#model.parameters
  }

  /** Adds stop tokens. */
  alsoStopAt(tokens: Iterable<number>): void {
    for (const token of tokens) this.#model.stopTokens.add(token)
  }

  /** WebLLM's device, for the buffers of copyWeights; destroyed at the next load. */
  get device(): GPUDevice | null {
    return this.#model.internals?.device ?? null
  }

  /** The last set weights as a safetensors file; without tensors while they are those of the source. */
  saveCheckpoint(): Promise<Uint8Array> {
    return this.#inTurn(async () => {
      if (this.#checkpoint !== null) return this.#checkpoint.slice()
      if (this.#model.isChanged) throw new Error('The weights were set tensor by tensor. Save them with the trainer.')
      return writeSafetensors({ metadata: UNCHANGED, tensors: new Map() })
    })
  }

  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.#inTurn(async () => {
      const { tensors } = readSafetensors(bytes, 'checkpoint')
      const weights = new Map<string, Float32Array>()
      for (const [name, { values }] of tensors) if (!name.startsWith('optimizer.')) weights.set(name, values)
      if (weights.size > 0) await this.#setWeights(weights, bytes.slice())
      else if (this.#model.isChanged) await this.#reload(modelFolder(this.#model.source.record.model))
    })
  }

  /** Waits for pending calls and frees the graphics memory. */
  unload(): Promise<void> {
    return this.#inTurn(() => this.#unload())
  }

  // ---------------------------------------------------------------------------------------------- loading

  async #open(source: WebLlmSource, onBytes?: OnBytes): Promise<Loaded> {
    const { record } = source
    const { files } = this.#parts
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
    const module = await this.#parts.importModule()
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
      cache.records.flatMap(({ records }) =>
        records.map(({ name, shape, dtype }) => [name, { shape, dtype }] as const),
      ),
    )
    return this.#start({ source, engine, tokenizer, stopTokens, processor, parameters: stored, folder, library })
  }

  async #start(
    parts: Pick<
      Loaded,
      'source' | 'engine' | 'tokenizer' | 'stopTokens' | 'processor' | 'parameters' | 'folder' | 'library'
    >,
  ): Promise<Loaded> {
    const { source, engine, tokenizer, stopTokens, processor, library, folder } = parts
    const modelId = source.record.model_id
    // An address of this thread, because WebLLM does not read libraries from its cache on localhost.
    const address = URL.createObjectURL(library)
    try {
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
      throw loadError(modelId, cause)
    } finally {
      URL.revokeObjectURL(address)
    }
    const { internals, missing } = openInternals(engine, modelId)
    const decode = (tokens: Tokens) => tokenizer.decode(tokens)
    const rollout =
      internals !== null
        ? new BatchedSampler(internals, { ...source, stopTokens, decode })
        : new SequentialSampler(engine, processor, {
            modelId,
            contextWindow: source.contextWindow,
            stopTokens,
            encode: (text) => tokenizer.encode(text),
            decode,
          })
    const parameters = internals?.parameters ?? parts.parameters
    const watch = internals && new DeviceWatch(internals.device)
    return { ...parts, parameters, internals, missing, rollout, isChanged: false, watch }
  }

  /** Reloads from a folder under the source's id. */
  async #reload(folder: string): Promise<void> {
    const before = this.#model
    const { record } = before.source
    before.rollout.dispose()
    this.#loaded = null
    this.#checkpoint = null
    const isChanged = folder !== modelFolder(record.model)
    this.#loaded = { ...(await this.#start({ ...before, folder })), isChanged }
  }

  async #unload(): Promise<void> {
    const loaded = this.#loaded
    this.#loaded = null
    this.#checkpoint = null
    loaded?.rollout.dispose()
    await loaded?.engine.unload()
  }

  // ---------------------------------------------------------------------------------------------- weights

  async #setWeights(weights: ReadonlyMap<string, Float32Array>, checkpoint: Uint8Array | null): Promise<void> {
    const { source, internals, parameters, engine } = this.#model
    const { record } = source
    const changed = encodedWeights(parameters, weights, record.model_id)
    if (internals !== null) {
      await internals.exclusively(async () => {
        for (const [name, bytes] of changed) internals.writeParameter(name, bytes)
      })
      // The chat's cache belongs to the old weights.
      await engine.resetChat(false, record.model_id)
      this.#model.isChanged = true
    } else {
      const from = this.#model.folder
      const [first, second] = changedFolders(modelFolder(record.model))
      const to = from === first ? second : first
      await writeChangedModel(this.#parts.files, from, to, changed)
      await this.#reload(to)
      if (from === first || from === second) await removeModel(this.#parts.files, from)
    }
    this.#checkpoint = checkpoint
  }

  // ---------------------------------------------------------------------------------------------- queue

  get #model(): Loaded {
    if (this.#loaded === null) throw new Error('No model is loaded in this worker; call load first.')
    return this.#loaded
  }

  /** Throws GraphicsDeviceError if the model's device has failed. */
  #computing<T>(job: (loaded: Loaded) => Promise<T>): Promise<T> {
    return this.#inTurn(() => {
      const loaded = this.#model
      return loaded.watch ? loaded.watch.guard(() => job(loaded)) : job(loaded)
    })
  }

  #inTurn<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#last.then(job)
    this.#last = result.catch(() => undefined)
    return result
  }
}

/** Methods whose results a worker transfers instead of copying. */
export const WEBLLM_RESULTS_GIVEN = [
  'generate',
  'generateFormatted',
  'score',
  'saveCheckpoint',
] as const satisfies readonly (keyof WebLlmModel)[]
