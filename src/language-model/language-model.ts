/**
 * A language model that runs and learns on this machine, behind the loop's port.
 *
 * Calls run one after the other, in order: a generation never sees half an update. Each throws GraphicsDeviceError if its
 * device has failed; the weights cannot be trusted after that.
 */
import * as tf from '@tensorflow/tfjs-core'
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
import { type SavedFolder, smallFiles } from './files/saved-folder.ts'
import { parseModelConfig, type ModelConfig } from './files/config.ts'
import { Generator } from './sampling/generate.ts'
import { AdapterSet } from './lora/adapter-set.ts'
import type { LoraOptions } from './lora/options.ts'
import { type BatchSizes, defaultBatchSizes } from './weights/memory-budget.ts'
import { changingWeights, useMergedWeights } from './weights/merged-weights.ts'
import { type ModelFolder, type ModelReader, readModelFolder } from './files/model-folder.ts'
import { initialWeights } from './weights/parameters.ts'
import type { FloatType } from './files/safetensors.ts'
import { Tokenizer, TokenizerError } from './tokens/tokenizer.ts'
import type { Sequence } from './training/packing.ts'
import { DivergedError, type FitMetrics, type FitOptions, type SupervisedExample, Trainer } from './training/trainer.ts'
import type { GradientHelpers, GradientPart, GradientRequest } from './training/shared-gradients.ts'
import { loadTransformer } from './files/load-transformer.ts'
import { Transformer } from './transformer.ts'
import type { WeightStorage } from './weights/weight-storage.ts'
import { Turns } from '../method/turns.ts'

/** Defaults depend on the model's size. */
export type LanguageModelOptions = Partial<BatchSizes> & {
  /**
   * How to store matrices that are frozen or trained only through adapters. Half precision (webgpu) takes half the memory: it keeps
   * bfloat16 and float16 files exactly and rounds float32 files to 11 bits. Four bits (cpu, webgpu) take 0.16 of the memory and make
   * a slightly different model, on top of which adapters learn (QLoRA; Dettmers et al., 2023).
   */
  storage?: WeightStorage
  /** Models that share a budget of cached tokens with this one, and this one itself; 1 by default. */
  cacheSharers?: number
  /** Most tokens of prompt and response together, if fewer than the model's own limit. */
  contextWindow?: number
}

/** A backend to start, or the one that TensorFlow.js has selected. All models of a thread share one. */
export type ModelBackend = BackendName | 'selected'

export class LanguageModel implements LanguageModelPort {
  readonly config: ModelConfig
  readonly tokenizer: Tokenizer
  readonly #folder: Pick<ModelFolder, 'configJson' | 'tokenizerJson'>
  readonly #transformer: Transformer
  readonly #generator: Generator
  readonly #trainer: Trainer
  readonly #turns = new Turns()
  #adapters: AdapterSet | null = null

  private constructor(folder: ModelFolder, transformer: Transformer, options: LanguageModelOptions) {
    const { cacheSlots, prefillTokens, microBatchTokens, recomputeActivations } = {
      ...defaultBatchSizes(folder.config, { ...options, backend: tf.getBackend() === 'webgpu' ? 'webgpu' : 'cpu' }),
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

  /** Loads a model from its folder. Throws BackendUnavailableError, ModelFileError, ModelConfigError, SafetensorsError, TokenizerError or ModelTooLargeError. */
  static async load(
    reader: ModelReader,
    backend: ModelBackend,
    options: LanguageModelOptions = {},
  ): Promise<LanguageModel> {
    if (backend !== 'selected') await selectBackend(backend)
    const folder = within(await readModelFolder(reader), options.contextWindow)
    return new LanguageModel(folder, await loadTransformer(reader, folder.config, options.storage), options)
  }

  /** Makes a model with fresh weights, which depend only on the seed. */
  static async fresh(
    configJson: unknown,
    tokenizerJson: unknown,
    seed: number,
    backend: ModelBackend,
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

  /** tokenizer.json as read from the folder. */
  get tokenizerJson(): unknown {
    return this.#folder.tokenizerJson
  }

  get parameterCount(): number {
    return [...this.#transformer.parameters.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** How many numbers training changes: all of the model's, or only the adapters'. */
  get trainedParameterCount(): number {
    return [...this.#transformer.trainableParameters().values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** Also ends completions at this token: a chat template may end responses with a token that config.json does not name. */
  alsoStopAt(token: number): void {
    this.#generator.alsoStopAt(token)
  }

  /** Throws TokenizerError for a token that the model does not have. */
  async encode(texts: readonly string[]): Promise<Tokens[]> {
    const encoded = texts.map((text) => this.tokenizer.encode(text))
    const { vocabularySize } = this.config
    const unknown = encoded.flatMap((tokens) => tokens.find((token) => token >= vocabularySize) ?? [])[0]
    if (unknown !== undefined)
      throw new TokenizerError(
        `${JSON.stringify(this.tokenizer.decode(Int32Array.of(unknown)))} is token ${unknown} of tokenizer.json, but config.json has a vocab_size of ${vocabularySize}. Take both files and the weights from one repository.`,
      )
    return encoded
  }

  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    return this.#computing(() => this.#generator.generate(requests, options, signal))
  }

  /** Helpers are copies with the same weights that have prepared the same update; they change no result. */
  update(
    examples: readonly TrainingExample[],
    options: UpdateOptions,
    signal?: AbortSignal,
    helpers?: GradientHelpers,
  ): Promise<UpdateMetrics> {
    return this.#changing(() => this.#trainer.update(examples, options, signal, helpers))
  }

  /** Prepares to help a copy of this model with an update. */
  async prepareGradients(examples: readonly TrainingExample[], options: UpdateOptions): Promise<void> {
    this.#trainer.prepareGradients(examples, options)
  }

  /** Gradients for that copy. Leaves this model with the weights of the request. */
  helpWithGradients(request: GradientRequest): Promise<GradientPart[]> {
    return this.#changing(() => this.#trainer.helpWithGradients(request))
  }

  /** Supervised training on responses: one pass over the examples. */
  fit(examples: readonly SupervisedExample[], options: FitOptions, signal?: AbortSignal): Promise<FitMetrics> {
    return this.#changing(() => this.#trainer.fit(examples, options, signal))
  }

  /** log π of every response token at a temperature; [example][response.length]. */
  logProbs(examples: readonly Sequence[], temperature: number, signal?: AbortSignal): Promise<Float32Array[]> {
    return this.#computing(() => this.#trainer.logProbs(examples, temperature, undefined, signal))
  }

  /** Shapes, by Hugging Face's names, of the weights that training changes: those under adapters if there are any, else all. */
  get changingWeights(): Map<string, readonly number[]> {
    return changingWeights(this.#transformer)
  }

  /** Weights by name with adapters merged in. Throws RangeError for an unknown name. */
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
   * The same weights as buffers on the model's graphics device (webgpu), each valid until `use` resolves. Throws DivergedError at the
   * end if the type cannot hold a number.
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
            `${outside} contains NaN or numbers that ${type} cannot represent. Go back to an earlier checkpoint and lower the learning rate.`,
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

  /** The files of a model folder, by name, with adapters merged in. */
  saveFolder(dtype: FloatType = 'F32'): Promise<SavedFolder> {
    return this.#computing(async () => ({
      'model.safetensors': await writeWeights(this.#transformer, dtype),
      ...smallFiles(this.#folder, this.config, dtype),
    }))
  }

  /** Freezes the weights and attaches fresh low-rank adapters, which change nothing until trained. Throws LoraError. */
  attachAdapters(options: LoraOptions, seed: number): Promise<void> {
    return this.#changing(async () => {
      this.#adapters = new AdapterSet(this.#transformer, options, seed)
      this.#trainer.reset()
    })
  }

  /** Waits for calls in progress and frees all tensors. */
  dispose(): Promise<void> {
    return this.#turns.take(async () => {
      this.#generator.forget()
      this.#trainer.dispose()
      this.#adapters?.detach()
      this.#transformer.dispose()
    })
  }

  /** Frees the cache first: its keys and values are of the old weights, and training can use their memory. */
  #changing<T>(job: () => Promise<T>): Promise<T> {
    return this.#computing(() => {
      this.#generator.forget()
      return job()
    })
  }

  #computing<T>(job: () => Promise<T>): Promise<T> {
    return this.#turns.take(() => guardDevice(job))
  }
}

/** Limits a model's positions to the window; nothing else of a model depends on their number. */
function within(folder: ModelFolder, contextWindow = Infinity): ModelFolder {
  const { config } = folder
  return contextWindow < config.maxPositions
    ? { ...folder, config: { ...config, maxPositions: contextWindow } }
    : folder
}
