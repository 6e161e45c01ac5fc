/**
 * Our own transformer playing a role, as a service that a worker exposes. Each role has its own thread, so that policy and reward
 * model compute at the same time.
 */
import { selectBackend } from '../../language-model/backends/select-backend.ts'
import type { BackendName } from '../../language-model/backends/backend.ts'
import { LanguageModel } from '../../language-model/language-model.ts'
import { unchangedCheckpoint } from '../../language-model/files/checkpoint-parts.ts'
import type { ChatPieces } from '../../method/chat-pieces.ts'
import type {
  Completion,
  GenerateCall,
  Tokens,
  TrainingExample,
  UpdateMetrics,
  UpdateOptions,
} from '../../method/ports.ts'
import type { GradientHelpers, GradientPart, GradientRequest } from '../../language-model/training/shared-gradients.ts'
import { openCheckpoint, type HeldCheckpoint } from './checkpoint.ts'
import { copiesOf, modelFiles } from './model-files.ts'
import type { FolderFiles, ModelInfo, OnBytes, RoleModel } from '../../roles/role-model.ts'

export interface TransformerSource {
  /** Folder of the model: an address in a browser, a path in Node, or `local:NAME`. */
  location: string
  backend: BackendName
  /** Workers that sample for its role, this one included; 1 by default. A checkpoint without it is one that workers cannot share. */
  samplers?: number
  /** Set for a model that is not built in. */
  checkpoint?: HeldCheckpoint
}

/**
 * The micro-batches of a model that workers may share on a CPU: small enough that a step has several, which workers divide, and as fast as larger ones.
 * The same for any number of workers, because the sum of gradients depends on it in the last digits.
 */
const DIVIDED_MICRO_BATCH_TOKENS = 1024

export class TransformerModel implements RoleModel {
  #model: LanguageModel | null = null
  #chatPieces: ChatPieces | null = null
  /** None of its weights can be trained, so checkpoints are empty. */
  #isFixed = false
  /** What is saved with new weights of a model that is not built in. */
  #promptFiles: FolderFiles = {}

  /** Loads the model, replacing the current one. Throws the errors of LanguageModel.load and openCheckpoint. */
  async load({ location, backend, samplers, checkpoint }: TransformerSource, onBytes?: OnBytes): Promise<ModelInfo> {
    const { description } = await selectBackend(backend)
    await this.#model?.dispose()
    this.#model = null
    this.#chatPieces = null
    this.#promptFiles = {}
    const divided = {
      cacheSharers: samplers ?? 1,
      ...(backend === 'cpu' && { microBatchTokens: DIVIDED_MICRO_BATCH_TOKENS }),
    }
    if (checkpoint) {
      const place = { location, backend, checkpoint, ...(samplers !== undefined && { batchSizes: divided }) }
      const opened = await openCheckpoint(place, onBytes)
      this.#model = opened.model
      this.#chatPieces = opened.chatPieces
      this.#promptFiles = opened.promptFiles
    } else {
      const files = await modelFiles(location, onBytes)
      this.#model = await LanguageModel.load(files, 'selected', divided)
    }
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

  generate(...call: GenerateCall): Promise<Completion[][]> {
    return this.#loaded.generate(...call)
  }

  /** `helpers` copies of the model compute some of the gradients, which `gradients` gets from them. */
  update(
    examples: readonly TrainingExample[],
    options: UpdateOptions,
    signal?: AbortSignal,
    helpers = 0,
    gradients?: GradientHelpers['gradients'],
  ): Promise<UpdateMetrics> {
    const helping = gradients && helpers > 0 ? { count: helpers, gradients } : undefined
    return this.#loaded.update(examples, options, signal, helping)
  }

  /** Prepares to help a copy of this model with an update. */
  prepareGradients(examples: readonly TrainingExample[], options: UpdateOptions): Promise<void> {
    return this.#loaded.prepareGradients(examples, options)
  }

  helpWithGradients(request: GradientRequest): Promise<GradientPart[]> {
    return this.#loaded.helpWithGradients(request)
  }

  /** With adapters, saves only these and their optimiser's state; saves nothing of a model that cannot change. */
  async saveCheckpoint(): Promise<Uint8Array> {
    if (this.#isFixed) return unchangedCheckpoint()
    return this.#loaded.saveCheckpoint()
  }

  /** A model folder with adapters merged in, with the chat template of its source; null for a model that cannot change. */
  async saveFolder(): Promise<FolderFiles | null> {
    if (this.#isFixed) return null
    return { ...(await this.#loaded.saveFolder()), ...copiesOf(this.#promptFiles) }
  }

  async loadCheckpoint(bytes: Uint8Array): Promise<void> {
    if (!this.#isFixed) await this.#loaded.loadCheckpoint(bytes)
  }

  /** Null, because it samples for itself. */
  async lastSyncMs(): Promise<number | null> {
    return null
  }

  /** Waits for pending calls and frees the memory. */
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

/** Methods whose results a worker transfers instead of copying. */
export const TRANSFORMER_RESULTS_GIVEN = [
  'generate',
  'helpWithGradients',
  'saveCheckpoint',
  'saveFolder',
] as const satisfies readonly (keyof TransformerModel)[]
