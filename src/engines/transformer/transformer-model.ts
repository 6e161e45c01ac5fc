/**
 * The engine of our own transformer: a language model of this machine, as a service that a worker exposes. All three
 * roles are this one class; each has its own thread, so that policy and reward model compute at the same time.
 */
import { selectBackend } from '../../language-model/backends/select-backend.ts'
import type { BackendName } from '../../language-model/backends/backend.ts'
import { LanguageModel } from '../../language-model/language-model.ts'
import { writeSafetensors } from '../../language-model/files/safetensors.ts'
import type { ChatPieces } from '../../method/chat-pieces.ts'
import type {
  Completion,
  GenerateRequest,
  SamplingOptions,
  Tokens,
  TrainingExample,
  UpdateMetrics,
  UpdateOptions,
} from '../../method/ports.ts'
import { openCheckpoint, type HeldCheckpoint } from './checkpoint.ts'
import { modelFiles } from './model-files.ts'
import type { ModelInfo, OnBytes, RoleModel } from '../../roles/role-model.ts'

export interface TransformerSource {
  /** Folder of the model: an address in a browser, a path in Node, or `local:NAME`. */
  location: string
  backend: BackendName
  /** Of a model that is not ours. */
  checkpoint?: HeldCheckpoint
}

/** A checkpoint's file of a model that cannot change. */
const UNCHANGED = { format: 'pt', weights: 'as in the source' }

export class TransformerModel implements RoleModel {
  #model: LanguageModel | null = null
  #chatPieces: ChatPieces | null = null
  /** No weight of it can be trained, so there is none to keep. */
  #isFixed = false

  /**
   * Loads the model, in place of the one before. Throws what LanguageModel.load throws, a ModelTooLargeError before weights are
   * loaded that cannot fit, and a ChatTemplateError for a template that a growing transcript cannot follow.
   */
  async load({ location, backend, checkpoint }: TransformerSource, onBytes?: OnBytes): Promise<ModelInfo> {
    const { description } = await selectBackend(backend)
    await this.#model?.dispose()
    this.#model = null
    this.#chatPieces = null
    if (checkpoint) {
      const opened = await openCheckpoint({ location, backend, checkpoint }, onBytes)
      this.#model = opened.model
      this.#chatPieces = opened.chatPieces
    } else this.#model = await LanguageModel.load(await modelFiles(location, onBytes), 'selected')
    this.#isFixed = checkpoint?.adapters === null && checkpoint.storage !== 'float32'
    const { parameterCount, trainedParameterCount, config } = this.#model
    return {
      parameters: parameterCount,
      trainedParameters: this.#isFixed ? 0 : trainedParameterCount,
      backendDescription: description,
      maxPositions: config.maxPositions,
    }
  }

  async chatPieces(): Promise<ChatPieces | null> {
    return this.#chatPieces
  }

  encode(texts: readonly string[]): Promise<Tokens[]> {
    return this.#loaded.encode(texts)
  }

  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    return this.#loaded.generate(requests, options, signal)
  }

  update(examples: readonly TrainingExample[], options: UpdateOptions, signal?: AbortSignal): Promise<UpdateMetrics> {
    return this.#loaded.update(examples, options, signal)
  }

  /** Of a model with adapters these alone, and of one that cannot change nothing; the optimiser's state with them. */
  async saveCheckpoint(): Promise<Uint8Array> {
    if (this.#isFixed) return writeSafetensors({ metadata: UNCHANGED, tensors: new Map() })
    return this.#loaded.saveCheckpoint()
  }

  async loadCheckpoint(bytes: Uint8Array): Promise<void> {
    if (!this.#isFixed) await this.#loaded.loadCheckpoint(bytes)
  }

  /** It samples for itself. */
  async lastSyncMs(): Promise<number | null> {
    return null
  }

  /** Waits for calls in progress and frees the memory; a worker that ends need not be asked to. */
  async unload(): Promise<void> {
    const model = this.#model
    this.#model = null
    await model?.dispose()
  }

  get #loaded(): LanguageModel {
    if (this.#model === null) throw new Error('No model is loaded in this worker; call load first.')
    return this.#model
  }
}

/** Results that a worker gives away instead of copying them. */
export const TRANSFORMER_RESULTS_GIVEN = [
  'generate',
  'saveCheckpoint',
] as const satisfies readonly (keyof TransformerModel)[]
