/**
 * Opens a Hugging Face checkpoint in our own transformer: refuses one that does not fit before its weights are loaded, attaches
 * adapters if these are trained, and reads the pieces of its chat template, if any.
 */
import type { BackendName } from '../../language-model/backends/backend.ts'
import { addedTokensOf, readChatTemplate } from '../../language-model/tokens/chat-template-files.ts'
import { chatPiecesOf, chatRenderer } from '../../language-model/tokens/chat-template.ts'
import { LanguageModel, type LanguageModelOptions } from '../../language-model/language-model.ts'
import { memoryReader, readModelConfig } from '../../language-model/files/model-folder.ts'
import type { ChatPieces } from '../../method/chat-pieces.ts'
import { modelFiles, promptFiles } from './model-files.ts'
import { cacheSlots, CPU_MEMORY_BYTES, refuseTooLarge, type CheckpointUse } from './memory.ts'
import type { FolderFiles, OnBytes } from '../../roles/role-model.ts'

/** How a checkpoint is stored and trained, with the seed of new adapters. */
export interface HeldCheckpoint extends CheckpointUse {
  adapterSeed: number
}

export interface CheckpointPlace {
  /** An address, a path in Node, or `local:NAME`. */
  location: string
  /** The selected backend of this thread. */
  backend: BackendName
  checkpoint: HeldCheckpoint
  /** Batch sizes of a model that workers share, in place of the defaults for its size. */
  batchSizes?: Pick<LanguageModelOptions, 'cacheSharers' | 'microBatchTokens'>
}

export interface OpenedCheckpoint {
  model: LanguageModel
  /** Null without a chat template. */
  chatPieces: ChatPieces | null
  /** Files of its folder that say how to prompt it, to save them with new weights. Saving must not need the network. */
  promptFiles: FolderFiles
}

/** This backend cannot store weights in the requested format. */
export class ModelStorageError extends Error {
  override readonly name = 'ModelStorageError'
}

/**
 * Throws ModelStorageError, ModelTooLargeError, LoraError, ChatTemplateError for a template that does not allow transcripts to grow
 * by appending, and the errors of LanguageModel.load. Then leaves nothing in memory.
 */
export async function openCheckpoint(
  { location, backend, checkpoint, batchSizes }: CheckpointPlace,
  onBytes?: OnBytes,
): Promise<OpenedCheckpoint> {
  const { adapters, storage, contextWindow, adapterSeed } = checkpoint
  checkStorage(storage, backend)
  const reader = await modelFiles(location, onBytes)
  const config = await readModelConfig(reader)
  // The memory of a graphics device is unknown, so allocation fails tensor by tensor.
  refuseTooLarge(reader.name, config, checkpoint, backend === 'cpu' ? CPU_MEMORY_BYTES : Infinity, backend)
  const prompting = await promptFiles(reader)
  const template = await readChatTemplate(memoryReader(reader.name, prompting))
  const renderer = template && (await chatRenderer(template, reader.name))
  const model = await LanguageModel.load(reader, 'selected', {
    storage,
    ...(batchSizes ?? { cacheSlots: cacheSlots(config, contextWindow, backend) }),
    ...(contextWindow !== null && { contextWindow }),
  })
  try {
    const chatPieces = renderer && chatPiecesOf(renderer, addedTokensOf(model.tokenizerJson), reader.name)
    // Some configurations name only the end of a text, not that of a response.
    const end = chatPieces && model.tokenizer.tokenId(chatPieces.responseEnd)
    if (typeof end === 'number') model.alsoStopAt(end)
    if (adapters !== null) await model.attachAdapters(adapters, adapterSeed)
    return { model, chatPieces, promptFiles: prompting }
  } catch (error) {
    await model.dispose()
    throw error
  }
}

function checkStorage(storage: CheckpointUse['storage'], backend: BackendName): void {
  if (storage === 'float16' && backend !== 'webgpu') {
    throw new ModelStorageError(
      'Weights in half precision require WebGPU, and this run uses the CPU. Choose the WebGPU backend, or store the weights as float32 or in four bits.',
    )
  }
}
