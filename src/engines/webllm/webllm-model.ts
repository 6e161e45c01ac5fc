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
import { unchangedCheckpoint } from '../../language-model/files/checkpoint-parts.ts'
import { readSafetensors } from '../../language-model/files/safetensors.ts'
import { Turns } from '../../method/turns.ts'
import type {
  Completion,
  GenerateCall,
  GenerateRequest,
  LanguageModelPort,
  SamplingOptions,
  Tokens,
  UpdateMetrics,
} from '../../method/ports.ts'
import {
  openModel,
  startModel,
  unloadEngine,
  type LoadedModel,
  type WebLlmParts,
  type WebLlmSource,
} from './loaded-model.ts'
import { MissingInternalsError } from './missing-names.ts'
import { modelFolder } from './model-files.ts'
import { changedFolders, removeModel, writeChangedModel } from './reloaded-weights.ts'
import type { SamplerOptions } from './sampler.ts'
import type { ResponseFormat } from './surface.ts'
import type { ModelInfo, OnBytes } from '../../roles/role-model.ts'
import { PINNED_VERSION } from './version.ts'
import type { GpuSource } from './webllm-internals.ts'
import { isQuantized, encodedWeights, weightCount, type MlcParameterShape } from './weight-bytes.ts'

export interface WebLlmInfo extends ModelInfo {
  /** Many sequences at once and weights in place; false with the public interface. */
  usesInternals: boolean
  /** Internals that this version of WebLLM lacks. */
  missing: readonly string[]
  /** Whether weights can change: not with four-bit ones. */
  acceptsWeights: boolean
}

export class WebLlmModel implements LanguageModelPort {
  readonly #parts: WebLlmParts
  readonly #turns = new Turns()
  #loaded: LoadedModel | null = null
  #checkpoint: Uint8Array | null = null

  constructor(parts: WebLlmParts) {
    this.#parts = parts
  }

  /** Loads the model, replacing the current one. Throws ModelFileError, ModelLoadError, TokenizerError or MlcFormatError. */
  load(source: WebLlmSource, onBytes?: OnBytes): Promise<WebLlmInfo> {
    return this.#turns.take(async () => {
      await this.#unload()
      const loaded = await openModel(this.#parts, source, onBytes)
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

  generate(...call: GenerateCall): Promise<Completion[][]> {
    return this.#computing(({ rollout }) => rollout.generate(...call))
  }

  /** Completions with a required format: an author's rewrite, a judge's score. */
  generateFormatted(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    format: ResponseFormat,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    const formatted: SamplerOptions = { ...options, format }
    return this.#computing(async (loaded) => {
      try {
        return await loaded.formatted.generate(requests, formatted, signal)
      } catch (error) {
        if (!(error instanceof MissingInternalsError)) throw error
        loaded.formatted = loaded.publicly
        return loaded.formatted.generate(requests, formatted, signal)
      }
    })
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

  alsoStopAt(tokens: Iterable<number>): void {
    for (const token of tokens) this.#model.stopTokens.add(token)
  }

  /** WebLLM's device, for the buffers of copyWeights; destroyed at the next load. */
  get device(): GPUDevice | null {
    return this.#model.internals?.device ?? null
  }

  /** The last set weights as a safetensors file; without tensors while they are those of the source. */
  saveCheckpoint(): Promise<Uint8Array> {
    return this.#turns.take(async () => {
      if (this.#checkpoint !== null) return this.#checkpoint.slice()
      if (this.#model.isChanged) throw new Error('The weights were set tensor by tensor. Save them with the trainer.')
      return unchangedCheckpoint()
    })
  }

  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.#turns.take(async () => {
      const { tensors } = readSafetensors(bytes, 'checkpoint')
      const weights = new Map<string, Float32Array>()
      for (const [name, { values }] of tensors) if (!name.startsWith('optimizer.')) weights.set(name, values)
      if (weights.size > 0) await this.#setWeights(weights, bytes.slice())
      else if (this.#model.isChanged) await this.#reload(modelFolder(this.#model.source.record.model))
    })
  }

  /** Waits for pending calls and frees the graphics memory. */
  unload(): Promise<void> {
    return this.#turns.take(() => this.#unload())
  }

  /** Reloads from a folder under the source's id. */
  async #reload(folder: string): Promise<void> {
    const before = this.#model
    const { record } = before.source
    before.rollout.dispose()
    this.#loaded = null
    this.#checkpoint = null
    const isChanged = folder !== modelFolder(record.model)
    this.#loaded = { ...(await startModel({ ...before, folder })), isChanged }
  }

  async #unload(): Promise<void> {
    const loaded = this.#loaded
    this.#loaded = null
    this.#checkpoint = null
    if (loaded === null) return
    loaded.rollout.dispose()
    await unloadEngine(loaded)
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

  get #model(): LoadedModel {
    if (this.#loaded === null) throw new Error('No model is loaded in this worker; call load first.')
    return this.#loaded
  }

  /** Throws GraphicsDeviceError if the model's device has failed. */
  #computing<T>(job: (loaded: LoadedModel) => Promise<T>): Promise<T> {
    return this.#turns.take(() => {
      const loaded = this.#model
      return loaded.watch ? loaded.watch.guard(() => job(loaded)) : job(loaded)
    })
  }
}
