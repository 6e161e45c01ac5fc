/**
 * A model that learns here and samples with WebLLM. There are two copies of it in one thread: our own transformer, whose base is
 * frozen and whose adapters are trained, and WebLLM's, which takes the merged weights after every update. Calls are served one
 * after the other, so the next rollout is always of the weights of the last update; where giving them over failed or was
 * aborted, it is tried again before anything is sampled.
 *
 * The two compute the same with other kernels and number types. An update therefore compares with the trainer's own
 * log-probabilities and says how far the sampler's were from them (mismatch_kl, language-model/sampler-mismatch.ts).
 */
import type { BackendName } from '../../language-model/backends/backend.ts'
import { selectAdoptedDevice, selectBackend } from '../../language-model/backends/select-backend.ts'
import type { LanguageModel } from '../../language-model/language-model.ts'
import { parameterShapes } from '../../language-model/weights/parameters.ts'
import { mismatchSum } from '../../language-model/sampling/sampler-mismatch.ts'
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
import type { RoleModel, ModelInfo, OnBytes } from '../../roles/role-model.ts'
import type { WebLlmModel, WebLlmSource } from './webllm-model.ts'
import { changedParameters, type ChangedParameter } from './weight-places.ts'
import { syncBytes, syncWeights, type SyncWay } from './weight-sync.ts'

/** What trains, once it is open: adapters attached, if there are to be any. */
export interface OpenedTrainer {
  model: LanguageModel
  chatPieces: ChatPieces | null
}

export interface SampledTrainerParts<TrainerSource> {
  sampler: WebLlmModel
  /** Opens what trains on the backend that is selected. */
  openTrainer(source: TrainerSource, onBytes?: OnBytes): Promise<OpenedTrainer>
}

export interface SampledTrainerSource<TrainerSource> {
  sampler: WebLlmSource
  trainer: TrainerSource
  /** What the trainer computes on; webgpu shares WebLLM's device where that can be reached. */
  backend: BackendName
}

/** How the weights of the last update came to the sampler. */
export interface SyncReport {
  way: SyncWay
  durationMs: number
  bytes: number
}

/** The sampler has not got the weights of the last update. */
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
  /** The trainer's weights are not the sampler's. */
  isStale: boolean
  lastSync: SyncReport | null
}

/** Tokens that are sampled when a model has loaded, to see whether the other one would have said the same. */
const PROBE_TOKENS = 8
const PROBE = 'The quick brown fox jumps over the lazy dog. The'
/** Nats for each token. Rounding to 16 bits makes about 0.001 of a model, another version of it far more than this. */
const MOST_MISMATCH = 0.25

const WAYS: Record<SyncWay, string> = {
  shared: 'new weights go from buffer to buffer on one device',
  uploaded: 'new weights are uploaded',
  reloaded: 'new weights need WebLLM to load again',
}

export class SampledTrainer<TrainerSource> implements RoleModel {
  readonly #parts: SampledTrainerParts<TrainerSource>
  #loaded: Loaded | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: SampledTrainerParts<TrainerSource>) {
    this.#parts = parts
  }

  /**
   * Loads both, in place of those before. Throws what loading either throws, MlcFormatError where they are of other shapes, and
   * DifferentModelsError where they say other things.
   */
  load(source: SampledTrainerSource<TrainerSource>, onBytes?: OnBytes): Promise<ModelInfo> {
    return this.#inTurn(async () => {
      await this.#unload()
      const { sampler } = this.#parts
      const [onSampler, onTrainer] = onBytes ? together(onBytes) : [undefined, undefined]
      // First WebLLM, for it opens the device.
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

  /** Throws WeightSyncError where the sampler cannot be given the weights of the last update. */
  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    return this.#inTurn(async () => {
      if (this.#model.isStale) await this.#sync(this.#model, signal)
      return this.#parts.sampler.generate(requests, options, signal)
    })
  }

  /** Resolves when the sampler has the new weights. Throws WeightSyncError where it could not get them; the update itself is made then. */
  update(examples: readonly TrainingExample[], options: UpdateOptions, signal?: AbortSignal): Promise<UpdateMetrics> {
    return this.#inTurn(async () => {
      const loaded = this.#model
      // Before anything changes, because an update that fails may have made some of its steps.
      loaded.isStale = true
      const metrics = await loaded.trainer.update(examples, { ...options, sampledElsewhere: true }, signal)
      await this.#sync(loaded, signal)
      return metrics
    })
  }

  /** Of the trainer, optimiser included. */
  saveCheckpoint(): Promise<Uint8Array> {
    return this.#inTurn(() => this.#model.trainer.saveCheckpoint())
  }

  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.#inTurn(async () => {
      const loaded = this.#model
      await loaded.trainer.loadCheckpoint(bytes)
      loaded.isStale = true
      await this.#sync(loaded)
    })
  }

  /** How long it took to give over the weights of the last update; null before the first. */
  async lastSync(): Promise<SyncReport | null> {
    return this.#model.lastSync
  }

  /** Waits for calls in progress and frees the memory of both. */
  unload(): Promise<void> {
    return this.#inTurn(() => this.#unload())
  }

  async #sync(loaded: Loaded, signal?: AbortSignal): Promise<void> {
    const { trainer, changed, way, samplerId } = loaded
    const { sampler } = this.#parts
    const start = performance.now()
    try {
      await syncWeights({ trainer, sampler, changed }, way, signal)
    } catch (cause) {
      // A lost device is mended by whoever started this thread, an abort was wanted.
      if (isDeviceFailure(cause) || isAbort(cause) || signal?.aborted === true) throw cause
      throw new WeightSyncError(
        `The weights of the last update could not be given to "${samplerId}" (${cause instanceof Error ? cause.message : String(cause)}). Nothing is sampled with the old ones. Resume the run from its last checkpoint; if this happens again, close other pages that use the GPU, or let the model sample for itself.`,
        { cause },
      )
    }
    loaded.isStale = false
    loaded.lastSync = { way, durationMs: performance.now() - start, bytes: syncBytes(changed, way) }
  }

  async #unload(): Promise<void> {
    const loaded = this.#loaded
    this.#loaded = null
    // The trainer first: a device that they share ends with WebLLM.
    await loaded?.trainer.dispose()
    await this.#parts.sampler.unload()
  }

  get #model(): Loaded {
    if (this.#loaded === null) throw new Error('No model is loaded in this worker; call load first.')
    return this.#loaded
  }

  #inTurn<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#last.then(job)
    this.#last = result.catch(() => undefined)
    return result
  }
}

/** Results that a worker gives away instead of copying them. */
export const SAMPLED_TRAINER_RESULTS_GIVEN = [
  'generate',
  'saveCheckpoint',
] as const satisfies readonly (keyof RoleModel)[]

/** Where the trainer would stop, its chat template's end of a response included. */
async function stopTokens({ model, chatPieces }: OpenedTrainer): Promise<number[]> {
  const ends = chatPieces === null ? [] : [...(await model.encode([chatPieces.responseEnd]))[0]!]
  return [...model.config.eosTokens, ...(ends.length === 1 ? ends : [])]
}

/** Equal shapes are not enough: a base model and its instruct version have them, too. */
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
      `"${samplerId}" is not the model that is trained: what it says differs by ${mismatch.toFixed(2)} nats for each token. Choose the same model for both, of the same version.`,
    )
}

/** Bytes of two loads as of one. */
function together(onBytes: OnBytes): [OnBytes, OnBytes] {
  const parts = [
    [0, 0],
    [0, 0],
  ]
  const told =
    (part: number): OnBytes =>
    (done, total) => {
      parts[part] = [done, total]
      onBytes(parts[0]![0]! + parts[1]![0]!, parts[0]![1]! + parts[1]![1]!)
    }
  return [told(0), told(1)]
}
