/**
 * A role's model in a worker with WebLLM: alone, or as the sampler of a checkpoint that our own transformer trains in the same
 * thread. The chat template of a model alone is read from the tokenizer's files beside its weights.
 */
import { addedTokensOf, readChatTemplate } from '../../language-model/tokens/chat-template-files.ts'
import { chatPiecesOf, chatRenderer } from '../../language-model/tokens/chat-template.ts'
import type { ModelReader } from '../../language-model/files/model-folder.ts'
import type { ChatPieces } from '../../method/chat-pieces.ts'
import type {
  Completion,
  GenerateRequest,
  SamplingOptions,
  Tokens,
  UpdateCall,
  UpdateMetrics,
} from '../../method/ports.ts'
import { openCheckpoint, type CheckpointPlace } from '../transformer/checkpoint.ts'
import { copiesOf } from '../transformer/model-files.ts'
import type { FolderFiles, ModelInfo, OnBytes, RoleModel } from '../../roles/role-model.ts'
import type { RoleGrammars } from '../../worlds/world.ts'
import { modelFolder, readAndKeepOptional, readKept, UnreachableFileError, type ModelFiles } from './model-files.ts'
import { keepShippedModel, type ShippedSampler } from './shipped-models.ts'
import { SampledTrainer } from './sampled-trainer.ts'
import type { ResponseFormat } from './surface.ts'
import type { WebLlmParts, WebLlmSource } from './loaded-model.ts'
import { WebLlmModel } from './webllm-model.ts'

export interface WebLlmRolePlace {
  sampler: WebLlmSource | ShippedSampler
  /** The checkpoint for which it samples; null for WebLLM alone, which does not learn. */
  trainer: CheckpointPlace | null
  /** Grammars of its completions, for WebLLM alone. */
  grammars: RoleGrammars
}

export class WebLlmRole implements RoleModel {
  readonly #files: ModelFiles
  readonly #alone: WebLlmModel
  readonly #sampled: SampledTrainer<CheckpointPlace>
  #isTrained = false
  /** What is saved with new weights of the trained checkpoint. */
  #promptFiles: FolderFiles = {}
  #chatPieces: ChatPieces | null = null
  #format: ResponseFormat | null = null

  constructor(parts: WebLlmParts) {
    this.#files = parts.files
    this.#alone = new WebLlmModel(parts)
    this.#sampled = new SampledTrainer({
      sampler: this.#alone,
      openTrainer: async (place, onBytes) => {
        const opened = await openCheckpoint(place, onBytes)
        this.#promptFiles = opened.promptFiles
        return opened
      },
    })
  }

  /** Throws the errors of WebLlmModel, SampledTrainer and chatPiecesOf. */
  async load({ sampler: chosen, trainer, grammars }: WebLlmRolePlace, onBytes?: OnBytes): Promise<ModelInfo> {
    const sampler = 'location' in chosen ? await keepShippedModel(this.#files, chosen) : chosen
    this.#isTrained = trainer !== null
    if (trainer !== null) return this.#sampled.load({ sampler, trainer, backend: trainer.backend }, onBytes)
    const info = await this.#alone.load(sampler, onBytes)
    this.#chatPieces = await readPieces(this.#files, sampler)
    const grammar = grammars[this.#chatPieces ? 'instruct' : 'plain']
    this.#format = grammar === null ? null : { type: 'grammar', grammar }
    if (this.#chatPieces) {
      const end = await this.#alone.encode([this.#chatPieces.responseEnd])
      if (end[0]?.length === 1) this.#alone.alsoStopAt(end[0])
    }
    return { ...info, trainedParameters: 0 }
  }

  async chatPieces(): Promise<ChatPieces | null> {
    return this.#isTrained ? this.#sampled.chatPieces() : this.#chatPieces
  }

  encode(texts: readonly string[]): Promise<Tokens[]> {
    return this.#playing.encode(texts)
  }

  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    if (this.#isTrained || this.#format === null || options.isFreeForm)
      return this.#playing.generate(requests, options, signal)
    return this.#alone.generateFormatted(requests, options, this.#format, signal)
  }

  update(...call: UpdateCall): Promise<UpdateMetrics> {
    return this.#isTrained ? this.#sampled.update(...call) : this.#alone.update()
  }

  saveCheckpoint(): Promise<Uint8Array> {
    return this.#playing.saveCheckpoint()
  }

  /** A model folder of the trained checkpoint; null for WebLLM alone, which does not learn. */
  async saveFolder(): Promise<FolderFiles | null> {
    if (!this.#isTrained) return null
    return { ...(await this.#sampled.saveFolder()), ...copiesOf(this.#promptFiles) }
  }

  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.#playing.loadCheckpoint(bytes)
  }

  async lastSyncMs(): Promise<number | null> {
    return this.#isTrained ? ((await this.#sampled.lastSync())?.durationMs ?? null) : null
  }

  get #playing(): WebLlmModel | SampledTrainer<CheckpointPlace> {
    return this.#isTrained ? this.#sampled : this.#alone
  }
}

/** Methods whose results a worker transfers instead of copying. */
export const WEBLLM_ROLE_RESULTS_GIVEN = [
  'generate',
  'saveCheckpoint',
  'saveFolder',
] as const satisfies readonly (keyof WebLlmRole)[]

async function readPieces(files: ModelFiles, { record }: WebLlmSource): Promise<ChatPieces | null> {
  const folder = modelFolder(record.model)
  const readerOf = (read: (file: string) => Promise<Uint8Array>) => promptReader(record.model_id, read)
  // The template that an earlier load kept. The cache may not know which of the template's files do not exist.
  // Where the server cannot be asked for them, this template is used.
  const kept = await readChatTemplate(readerOf((file) => readKept(files, 'webllm/config', folder + file)))
  const template = await readChatTemplate(
    readerOf((file) => readAndKeepOptional(files, 'webllm/config', folder + file)),
  ).catch((error: unknown) => {
    if (kept === null || !(error instanceof UnreachableFileError)) throw error
    return kept
  })
  if (template === null) return null
  // WebLLM caches the tokenizer with the weights.
  const json = await files.read('webllm/model', `${folder}tokenizer.json`)
  const tokenizer: unknown = JSON.parse(new TextDecoder().decode(json))
  return chatPiecesOf(await chatRenderer(template, record.model_id), addedTokensOf(tokenizer), record.model_id)
}

/** Small files of a model's folder. */
function promptReader(name: string, read: (file: string) => Promise<Uint8Array>): ModelReader {
  return {
    name,
    read,
    async *stream(file) {
      yield await read(file)
    },
  }
}
