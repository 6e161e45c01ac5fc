/**
 * A model that our own transformer trains and WebLLM samples, both in one thread. Our copy has a frozen base with trained
 * adapters; WebLLM's gets the merged weights after every update. Calls run one after the other, so the next rollout always uses
 * the weights of the last update. If sending them failed or was aborted, it is tried again before sampling.
 *
 * The two compute with different kernels and number types. An update therefore compares with the trainer's own
 * log-probabilities and reports how far the sampler's differ (mismatch_kl, language-model/sampling/sampler-mismatch.ts).
 */
import type { BackendName } from '../../language-model/backends/backend.ts'
import { selectAdoptedDevice, selectBackend } from '../../language-model/backends/select-backend.ts'
import type { LanguageModel } from '../../language-model/language-model.ts'
import { parameterShapes } from '../../language-model/weights/parameters.ts'
import { mismatchSum } from '../../language-model/sampling/sampler-mismatch.ts'
import { Turns } from '../../method/turns.ts'
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
import { isAbort, isDeviceFailure } from '../../threads/errors.ts'
import type { FolderFiles, ModelInfo, OnBytes, RoleModel } from '../../roles/role-model.ts'
import type { WebLlmSource } from './loaded-model.ts'
import type { WebLlmModel } from './webllm-model.ts'
import { changedParameters, type ChangedParameter } from './weight-places.ts'
import { syncBytes, syncWeights, type SyncWay } from './weight-sync.ts'
import { errorText } from '../../threads/error-text.ts'

/** The opened trainer, with its adapters attached, if any. */
export interface OpenedTrainer {
  model: LanguageModel
  chatPieces: ChatPieces | null
}

export interface SampledTrainerParts<TrainerSource> {
  sampler: WebLlmModel
  /** Opens the trainer on the selected backend. */
  openTrainer(source: TrainerSource, onBytes?: OnBytes): Promise<OpenedTrainer>
}

export interface SampledTrainerSource<TrainerSource> {
  sampler: WebLlmSource
  trainer: TrainerSource
  /** The trainer's backend; webgpu shares WebLLM's device if it can be accessed. */
  backend: BackendName
}

/** How the sampler got the weights of the last update. */
export interface SyncReport {
  way: SyncWay
  durationMs: number
  bytes: number
}

/** The sampler does not have the weights of the last update. */
export class WeightSyncError extends Error {
  override readonly name = 'WeightSyncError'
}

/** Trainer and sampler are not the same model. */
export class DifferentModelsError extends Error {
  override readonly name = 'DifferentModelsError'
}

interface Loaded {
  trainer: LanguageModel
  chatPieces: ChatPieces | null
  samplerId: string
  changed: readonly ChangedParameter[]
  way: SyncWay
  /** The sampler does not have the trainer's weights. */
  isStale: boolean
  lastSync: SyncReport | null
}

/** Tokens sampled after loading, to check that both models agree. */
const PROBE_TOKENS = 8
const PROBE = 'The quick brown fox jumps over the lazy dog. The'
/** Nats for each token. Rounding to 16 bits causes about 0.001, a different version of the model far more than this. */
const MOST_MISMATCH = 0.25

const WAYS: Record<SyncWay, string> = {
  shared: 'new weights go from buffer to buffer on one device',
  uploaded: 'new weights are uploaded',
  reloaded: 'new weights need WebLLM to load again',
}

export class SampledTrainer<TrainerSource> implements RoleModel {
  readonly #parts: SampledTrainerParts<TrainerSource>
  readonly #turns = new Turns()
  #loaded: Loaded | null = null

  constructor(parts: SampledTrainerParts<TrainerSource>) {
    this.#parts = parts
  }

  /**
   * Loads both, replacing current ones. Throws the errors of loading either, MlcFormatError for different shapes, and
   * DifferentModelsError for different outputs.
   */
  load(source: SampledTrainerSource<TrainerSource>, onBytes?: OnBytes): Promise<ModelInfo> {
    return this.#turns.take(async () => {
      await this.#unload()
      const { sampler } = this.#parts
      const [onSampler, onTrainer] = onBytes ? together(onBytes) : [undefined, undefined]
      // First WebLLM, because it opens the device.
      const samplerInfo = await sampler.load(source.sampler, onSampler)
      let trainer: LanguageModel | null = null
      try {
        const device = source.backend === 'webgpu' && samplerInfo.usesInternals ? sampler.device : null
        const { description } = await (device ? selectAdoptedDevice(device) : selectBackend(source.backend))
        const opened = await this.#parts.openTrainer(source.trainer, onTrainer)
        trainer = opened.model
        const samplerId = source.sampler.record.model_id
        const all = new Map(parameterShapes(trainer.config).map(({ name, shape }) => [name, shape] as const))
        const changed = changedParameters(sampler.parameters, { changing: trainer.changingWeights, all }, samplerId)
        sampler.alsoStopAt(await stopTokens(opened))
        await checkSame(trainer, sampler, samplerId)
        const way: SyncWay = device ? 'shared' : samplerInfo.usesInternals ? 'uploaded' : 'reloaded'
        this.#loaded = { ...opened, trainer, samplerId, changed, way, isStale: false, lastSync: null }
        return {
          parameters: trainer.parameterCount,
          trainedParameters: trainer.trainedParameterCount,
          backendDescription: `${description}; sampled with ${samplerInfo.backendDescription}; ${WAYS[way]}`,
          maxPositions: Math.min(trainer.config.maxPositions, samplerInfo.maxPositions),
        }
      } catch (error) {
        await trainer?.dispose()
        await sampler.unload()
        throw error
      }
    })
  }

  async chatPieces(): Promise<ChatPieces | null> {
    return this.#model.chatPieces
  }

  encode(texts: readonly string[]): Promise<Tokens[]> {
    return this.#model.trainer.encode(texts)
  }

  /** Throws WeightSyncError if the sampler cannot get the weights of the last update. */
  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    return this.#turns.take(async () => {
      if (this.#model.isStale) await this.#sync(this.#model, signal)
      return this.#parts.sampler.generate(requests, options, signal)
    })
  }

  /** Resolves when the sampler has the new weights. If it cannot get them, throws WeightSyncError after the update. */
  update(examples: readonly TrainingExample[], options: UpdateOptions, signal?: AbortSignal): Promise<UpdateMetrics> {
    return this.#turns.take(async () => {
      const loaded = this.#model
      // Set first, because a failed update may have made some of its steps.
      loaded.isStale = true
      const metrics = await loaded.trainer.update(examples, { ...options, sampledElsewhere: true }, signal)
      await this.#sync(loaded, signal)
      return metrics
    })
  }

  /** The trainer's checkpoint, with its optimiser. */
  saveCheckpoint(): Promise<Uint8Array> {
    return this.#turns.take(() => this.#model.trainer.saveCheckpoint())
  }

  /** The trainer's model folder, without the files that say how to prompt it. */
  saveFolder(): Promise<FolderFiles> {
    return this.#turns.take(() => this.#model.trainer.saveFolder())
  }

  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.#turns.take(async () => {
      const loaded = this.#model
      // Set first, because a checkpoint that fails may have set some of the weights.
      loaded.isStale = true
      await loaded.trainer.loadCheckpoint(bytes)
      await this.#sync(loaded)
    })
  }

  /** How long it took to send the weights of the last update; null before the first. */
  async lastSync(): Promise<SyncReport | null> {
    return this.#model.lastSync
  }

  /** Waits for pending calls and frees the memory of both. */
  unload(): Promise<void> {
    return this.#turns.take(() => this.#unload())
  }

  async #sync(loaded: Loaded, signal?: AbortSignal): Promise<void> {
    const { trainer, changed, way, samplerId } = loaded
    const { sampler } = this.#parts
    const start = performance.now()
    try {
      await syncWeights({ trainer, sampler, changed }, way, signal)
    } catch (cause) {
      // The owner of this thread recovers from a lost device, and an abort was intended.
      if (isDeviceFailure(cause) || isAbort(cause) || signal?.aborted === true) throw cause
      throw new WeightSyncError(
        `The weights of the last update could not be sent to "${samplerId}" (${errorText(cause)}). The run does not sample with the old ones. Resume the run from its last checkpoint; if this happens again, close other pages that use the GPU, or let the model sample for itself.`,
        { cause },
      )
    }
    loaded.isStale = false
    loaded.lastSync = { way, durationMs: performance.now() - start, bytes: syncBytes(changed, way) }
  }

  async #unload(): Promise<void> {
    const loaded = this.#loaded
    this.#loaded = null
    // The trainer first, because WebLLM destroys a shared device.
    await loaded?.trainer.dispose()
    await this.#parts.sampler.unload()
  }

  get #model(): Loaded {
    if (this.#loaded === null) throw new Error('No model is loaded in this worker; call load first.')
    return this.#loaded
  }
}

/** The trainer's stop tokens, including its chat template's end of a response. */
async function stopTokens({ model, chatPieces }: OpenedTrainer): Promise<number[]> {
  const ends = chatPieces === null ? [] : [...(await model.encode([chatPieces.responseEnd]))[0]!]
  return [...model.config.eosTokens, ...(ends.length === 1 ? ends : [])]
}

/** Equal shapes are not enough: a base model and its instruct version have the same. */
async function checkSame(trainer: LanguageModel, sampler: WebLlmModel, samplerId: string): Promise<void> {
  const [prompt] = await trainer.encode([PROBE])
  const [[said]] = (await sampler.generate([{ prompt: prompt!, count: 1, seed: 1 }], {
    temperature: 1,
    topP: 1,
    maxTokens: PROBE_TOKENS,
  })) as [[Completion]]
  const [own] = await trainer.logProbs([{ prompt: prompt!, response: said.tokens }], 1)
  const mismatch = mismatchSum(own!, said.logProbs) / said.tokens.length
  if (mismatch > MOST_MISMATCH)
    throw new DifferentModelsError(
      `"${samplerId}" is not the model that is trained: their outputs differ by ${mismatch.toFixed(2)} nats for each token. Choose the same model and version for both.`,
    )
}

/** Combines the bytes of two loads. */
function together(onBytes: OnBytes): [OnBytes, OnBytes] {
  const parts = [
    [0, 0],
    [0, 0],
  ]
  const report =
    (part: number): OnBytes =>
    (done, total) => {
      parts[part] = [done, total]
      onBytes(parts[0]![0]! + parts[1]![0]!, parts[0]![1]! + parts[1]![1]!)
    }
  return [report(0), report(1)]
}
