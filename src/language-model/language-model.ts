/**
 * A language model that runs and learns on this machine, behind the port that the loop knows.
 *
 * Calls are served one after the other, in the order they came: a generation never sees half an update. Each throws
 * GraphicsDeviceError when the device that it computes on has failed; the weights are then not to be trusted either.
 */
import type {
  Completion,
  GenerateRequest,
  LanguageModelPort,
  SamplingOptions,
  Tokens,
  TrainingExample,
  UpdateMetrics,
  UpdateOptions,
} from '../method/ports.ts'
import type { BackendName } from './backends/backend.ts'
import { guardDevice, selectBackend } from './backends/select-backend.ts'
import { readCheckpoint, writeCheckpoint, writeWeights } from './files/checkpoint.ts'
import { parseModelConfig, type ModelConfig } from './files/config.ts'
import { Generator } from './sampling/generate.ts'
import { type ADAPTER_CONFIG, type ADAPTER_WEIGHTS, AdapterSet, writeAdapters } from './lora/adapter-set.ts'
import { LoraError, type LoraOptions } from './lora/options.ts'
import { type BatchSizes, defaultBatchSizes } from './weights/memory-budget.ts'
import { changingWeights, useMergedWeights } from './weights/merged-weights.ts'
import { type ModelFolder, type ModelReader, readModelFolder } from './files/model-folder.ts'
import { initialWeights } from './weights/parameters.ts'
import type { FloatType } from './files/safetensors.ts'
import { Tokenizer } from './tokens/tokenizer.ts'
import type { Sequence } from './training/packing.ts'
import { DivergedError, type FitMetrics, type FitOptions, type SupervisedExample, Trainer } from './training/trainer.ts'
import { loadTransformer } from './files/load-transformer.ts'
import { Transformer } from './transformer.ts'
import type { WeightStorage } from './weights/weight-storage.ts'

/** What is not given follows from the model's size. */
export type LanguageModelOptions = Partial<BatchSizes> & {
  /**
   * How loaded matrices are kept, for a model that is not trained, or by its adapters alone. Half precision (webgpu) takes half the
   * memory: numbers of bfloat16 and float16 files are the same in it, those of float32 files are rounded to 11 bits. Four bits (cpu,
   * webgpu) take 0.16 of it, and are another model, if much alike: adapters learn on top of what it is (QLoRA; Dettmers et al., 2023).
   */
  storage?: WeightStorage
  /** Tokens that prompt and response may have together, if fewer than the model's own limit. */
  contextWindow?: number
}

/** A backend to start, or the one that TensorFlow.js has selected. There is one for all models of a thread. */
export type BackendChoice = BackendName | 'selected'

export class LanguageModel implements LanguageModelPort {
  readonly config: ModelConfig
  readonly tokenizer: Tokenizer
  readonly #folder: Pick<ModelFolder, 'configJson' | 'tokenizerJson'>
  readonly #transformer: Transformer
  readonly #generator: Generator
  readonly #trainer: Trainer
  #adapters: AdapterSet | null = null
  #last: Promise<unknown> = Promise.resolve()

  private constructor(folder: ModelFolder, transformer: Transformer, options: LanguageModelOptions) {
    const { cacheSlots, prefillTokens, microBatchTokens, recomputeActivations } = {
      ...defaultBatchSizes(folder.config, options),
      ...options,
    }
    this.config = folder.config
    this.tokenizer = folder.tokenizer
    this.#folder = folder
    this.#transformer = transformer
    this.#generator = new Generator(this.#transformer, (tokens) => this.tokenizer.decode(tokens), {
      cacheSlots,
      prefillTokens,
    })
    this.#trainer = new Trainer(this.#transformer, microBatchTokens, recomputeActivations)
  }

  /** A model from its folder. Throws BackendUnavailableError, ModelFileError, ModelConfigError, SafetensorsError, TokenizerError or ModelTooLargeError. */
  static async load(
    reader: ModelReader,
    backend: BackendChoice,
    options: LanguageModelOptions = {},
  ): Promise<LanguageModel> {
    if (backend !== 'selected') await selectBackend(backend)
    const folder = within(await readModelFolder(reader), options.contextWindow)
    return new LanguageModel(folder, await loadTransformer(reader, folder.config, options.storage), options)
  }

  /** A model with fresh weights, the same for the same seed. */
  static async fresh(
    configJson: unknown,
    tokenizerJson: unknown,
    seed: number,
    backend: BackendChoice,
    options: LanguageModelOptions = {},
  ): Promise<LanguageModel> {
    if (backend !== 'selected') await selectBackend(backend)
    const config = parseModelConfig(configJson, 'a fresh model')
    return new LanguageModel(
      {
        config,
        configJson,
        tokenizerJson,
        tokenizer: new Tokenizer(tokenizerJson, 'a fresh model'),
      },
      new Transformer(config, initialWeights(config, seed)),
      options,
    )
  }

  /** As read from the folder. */
  get tokenizerJson(): unknown {
    return this.#folder.tokenizerJson
  }

  get parameterCount(): number {
    return [...this.#transformer.parameters.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Numbers that training changes: all, or those of the adapters. */
  get trainedParameterCount(): number {
    return [...this.#transformer.trainableParameters().values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Ends completions at this token, too: a chat template may end a response by another one than config.json names. */
  alsoStopAt(token: number): void {
    this.#generator.alsoStopAt(token)
  }

  async encode(texts: readonly string[]): Promise<Tokens[]> {
    return texts.map((text) => this.tokenizer.encode(text))
  }

  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    return this.#computing(() => this.#generator.generate(requests, options, signal))
  }

  update(examples: readonly TrainingExample[], options: UpdateOptions, signal?: AbortSignal): Promise<UpdateMetrics> {
    return this.#changing(() => this.#trainer.update(examples, options, signal))
  }

  /** Supervised training on responses: one pass over the examples. */
  fit(examples: readonly SupervisedExample[], options: FitOptions, signal?: AbortSignal): Promise<FitMetrics> {
    return this.#changing(() => this.#trainer.fit(examples, options, signal))
  }

  /** log π of every response token at a temperature; [example][response.length]. */
  logProbs(examples: readonly Sequence[], temperature: number, signal?: AbortSignal): Promise<Float32Array[]> {
    return this.#computing(() => this.#trainer.logProbs(examples, temperature, undefined, signal))
  }

  /** Shapes, by Hugging Face's names, of the weights that training changes: of what is under the adapters, if there are any, else all. */
  get changingWeights(): Map<string, readonly number[]> {
    return changingWeights(this.#transformer)
  }

  /** Weights by name as they are computed with, what adapters add in them. Throws RangeError for an unknown name. */
  readWeights(names: readonly string[]): Promise<Map<string, Float32Array>> {
    return this.#computing(async () => {
      const weights = new Map<string, Float32Array>()
      await useMergedWeights(this.#transformer, names, async (weight, name) => {
        weights.set(name, (await weight.data<'float32'>()).slice())
      })
      return weights
    })
  }

  /**
   * The same as buffers of the graphics device that the model is on (webgpu), each lent until `use` has resolved, in this model's turn.
   * Throws DivergedError, in the end, where a number was none that the type holds.
   */
  lendWeights(
    names: readonly string[],
    type: 'float32' | 'float16',
    use: (buffer: GPUBuffer, name: string) => Promise<void>,
  ): Promise<void> {
    return this.#computing(async () => {
      const { lendBuffer, LentRange } = await import('./backends/webgpu/lent-buffer.ts')
      const range = new LentRange(type)
      try {
        await useMergedWeights(this.#transformer, names, async (weight, name) => {
          range.add(weight, name)
          await lendBuffer(weight, type, (buffer) => use(buffer, name))
        })
        const outside = await range.outside()
        if (outside !== null)
          throw new DivergedError(
            `${outside} holds numbers that ${type} cannot hold, or that are none. Go back to an earlier checkpoint and lower the learning rate.`,
          )
      } finally {
        range.dispose()
      }
    })
  }

  saveCheckpoint(): Promise<Uint8Array> {
    return this.#computing(() => writeCheckpoint(this.#transformer, this.#trainer))
  }

  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.#changing(async () => readCheckpoint(bytes, this.#transformer, this.#trainer))
  }

  /** The files of a model folder, by name. */
  saveFolder(
    dtype: FloatType = 'F32',
  ): Promise<Record<'model.safetensors' | 'config.json' | 'tokenizer.json', Uint8Array>> {
    const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value, null, 2))
    return this.#computing(async () => ({
      'model.safetensors': await writeWeights(this.#transformer, dtype),
      'config.json': json(this.#folder.configJson),
      'tokenizer.json': json(this.#folder.tokenizerJson),
    }))
  }

  /** Freezes the weights and trains low-rank adapters from now on, which change nothing yet; the same for the same seed. Throws LoraError. */
  attachAdapters(options: LoraOptions, seed: number): Promise<void> {
    return this.#changing(async () => {
      this.#adapters = new AdapterSet(this.#transformer, options, seed)
      this.#trainer.reset()
    })
  }

  /** Adapters as PEFT saved them, to go on training. Throws LoraError, SafetensorsError or ModelFileError. */
  loadAdapters(reader: ModelReader): Promise<void> {
    return this.#changing(async () => {
      this.#adapters = await AdapterSet.load(this.#transformer, reader)
      this.#trainer.reset()
    })
  }

  /** The adapters' files, by name, as PEFT reads them. */
  saveAdapters(): Promise<Record<typeof ADAPTER_CONFIG | typeof ADAPTER_WEIGHTS, Uint8Array>> {
    return this.#computing(async () => writeAdapters(this.#attached))
  }

  /** Takes the adapters off; what they add stays in the weights or goes with them. The weights are trained again from then on. */
  detachAdapters(fate: 'merge' | 'discard'): Promise<void> {
    return this.#changing(async () => {
      const adapters = this.#attached
      if (fate === 'merge') adapters.merge()
      else adapters.unmerge()
      adapters.detach()
      this.#adapters = null
      this.#trainer.reset()
    })
  }

  /** Waits for calls in progress and frees all tensors. */
  dispose(): Promise<void> {
    return this.#inTurn(async () => {
      this.#generator.dispose()
      this.#trainer.dispose()
      this.#adapters?.detach()
      this.#transformer.dispose()
    })
  }

  get #attached(): AdapterSet {
    if (this.#adapters === null) throw new LoraError('The model has no adapters. Attach or load some first.')
    return this.#adapters
  }

  /** Keys and values of other weights are worth nothing, so the cache goes whenever weights may have changed. */
  #changing<T>(job: () => Promise<T>): Promise<T> {
    return this.#computing(async () => {
      try {
        return await job()
      } finally {
        this.#generator.forget()
      }
    })
  }

  #computing<T>(job: () => Promise<T>): Promise<T> {
    return this.#inTurn(() => guardDevice(job))
  }

  #inTurn<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#last.then(job)
    this.#last = result.catch(() => undefined)
    return result
  }
}

/** Positions beyond the window are as good as none; nothing else of a model depends on how many there are. */
function within(folder: ModelFolder, contextWindow = Infinity): ModelFolder {
  const { config } = folder
  return contextWindow < config.maxPositions
    ? { ...folder, config: { ...config, maxPositions: contextWindow } }
    : folder
}
