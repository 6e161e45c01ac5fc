/**
 * A checkpoint of somebody else's in our own transformer: refused before its weights are loaded where they cannot fit, with
 * adapters where these are trained, and with its chat template's pieces where the folder has one.
 */
import type { BackendName } from '../../language-model/backends/backend.ts'
import { addedTokensOf, readChatTemplate } from '../../language-model/tokens/chat-template-files.ts'
import { chatPiecesOf, chatRenderer } from '../../language-model/tokens/chat-template.ts'
import { LanguageModel } from '../../language-model/language-model.ts'
import { readModelConfig } from '../../language-model/files/model-folder.ts'
import type { ChatPieces } from '../../method/chat-pieces.ts'
import { modelFiles } from './model-files.ts'
import { cacheSlots, CPU_MEMORY_BYTES, refuseTooLarge, type CheckpointUse } from './memory.ts'
import type { OnBytes } from '../../roles/role-model.ts'

/** How a checkpoint is held, and what its fresh adapters are drawn from. */
export interface HeldCheckpoint extends CheckpointUse {
  adapterSeed: number
}

export interface CheckpointPlace {
  /** An address, a path in Node, or `local:NAME`. */
  location: string
  /** The one that is selected in this thread. */
  backend: BackendName
  checkpoint: HeldCheckpoint
}

export interface OpenedCheckpoint {
  model: LanguageModel
  /** Null where the folder has no chat template. */
  chatPieces: ChatPieces | null
}

/** Weights that cannot lie on this backend as they should. */
export class ModelStorageError extends Error {
  override readonly name = 'ModelStorageError'
}

/**
 * Throws ModelStorageError, ModelTooLargeError, ChatTemplateError for a template that a growing transcript cannot follow, LoraError,
 * and what LanguageModel.load throws; leaves nothing in memory then.
 */
export async function openCheckpoint(
  { location, backend, checkpoint }: CheckpointPlace,
  onBytes?: OnBytes,
): Promise<OpenedCheckpoint> {
  const { adapters, storage, contextWindow, adapterSeed } = checkpoint
  checkStorage(storage, backend)
  const reader = await modelFiles(location, onBytes)
  const config = await readModelConfig(reader)
  // How much memory a graphics device has, nobody tells: it is refused tensor by tensor.
  refuseTooLarge(reader.name, config, checkpoint, backend === 'cpu' ? CPU_MEMORY_BYTES : Infinity, backend)
  const template = await readChatTemplate(reader)
  const renderer = template && (await chatRenderer(template, reader.name))
  const model = await LanguageModel.load(reader, 'selected', {
    storage,
    cacheSlots: cacheSlots(config, contextWindow),
    ...(contextWindow !== null && { contextWindow }),
  })
  try {
    const chatPieces = renderer && chatPiecesOf(renderer, addedTokensOf(model.tokenizerJson), reader.name)
    // Some configurations name the end of a text alone.
    const end = chatPieces && model.tokenizer.tokenId(chatPieces.responseEnd)
    if (typeof end === 'number') model.alsoStopAt(end)
    if (adapters !== null) await model.attachAdapters(adapters, adapterSeed)
    return { model, chatPieces }
  } catch (error) {
    await model.dispose()
    throw error
  }
}

function checkStorage(storage: CheckpointUse['storage'], backend: BackendName): void {
  if (storage === 'float16' && backend !== 'webgpu') {
    throw new ModelStorageError(
      'Weights in half precision need WebGPU, and this run computes on the CPU. Choose the WebGPU backend, or store the weights as float32 or in four bits.',
    )
  }
}
