/**
 * A model in a worker that survives its worker: when that is lost, a new one is started, gets the weights and optimiser
 * state after the last update, and repeats the call. The run goes on as if nothing had happened, because generation and
 * updates depend on nothing but weights and seeds. A worker whose graphics device has failed counts as lost.
 */
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
import { isDeviceFailure, WorkerLostError } from '../../threads/errors.ts'
import type { TransformerSource } from './transformer-model.ts'
import type { RoleModel, ModelInfo, OnBytes } from '../../roles/role-model.ts'
import type { Bridge, Remoted } from '../../threads/worker-bridge.ts'

/** What a worker exposes that a model lives in. */
export interface WorkerModel<Source> extends RoleModel {
  load(source: Source, onBytes?: OnBytes): Promise<ModelInfo>
  lastSyncMs(): Promise<number | null>
}

export interface SupervisedModelOptions<Source> {
  /** "policy"; for messages. */
  name: string
  source: Source
  startWorker(): Bridge<WorkerModel<Source>>
  onBytes?: OnBytes
  onRestart?(loss: WorkerLostError): void
}

/** Losses in a row, without a call that came through, after which it is no use to go on. */
const MOST_LOSSES = 3

export class SupervisedModel<Source = TransformerSource> implements RoleModel {
  readonly #options: SupervisedModelOptions<Source>
  #bridge: Bridge<WorkerModel<Source>> | null = null
  #ready: Promise<Remoted<WorkerModel<Source>>> | null = null
  #info: ModelInfo | null = null
  /** As of the last update; null while the weights are those of the source. */
  #checkpoint: Uint8Array | null = null
  #losses = 0
  #isClosed = false

  constructor(options: SupervisedModelOptions<Source>) {
    this.#options = options
  }

  /** Starts the worker and loads the model. Throws what loading throws. */
  async load(): Promise<ModelInfo> {
    await this.#call(async () => {})
    if (this.#info === null) throw new Error(`The ${this.#options.name} model did not load.`)
    return this.#info
  }

  chatPieces(): Promise<ChatPieces | null> {
    return this.#call((model) => model.chatPieces())
  }

  encode(texts: readonly string[]): Promise<Tokens[]> {
    return this.#call((model) => model.encode(texts))
  }

  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    return this.#call((model) => model.generate(requests, options, signal))
  }

  update(examples: readonly TrainingExample[], options: UpdateOptions, signal?: AbortSignal): Promise<UpdateMetrics> {
    return this.#call(async (model) => {
      const metrics = await model.update(examples, options, signal)
      this.#checkpoint = await model.saveCheckpoint()
      return metrics
    })
  }

  /** Not to be written to: a restart may read it. */
  saveCheckpoint(): Promise<Uint8Array> {
    return this.#call(async (model) => (this.#checkpoint ??= await model.saveCheckpoint()))
  }

  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.#call(async (model) => {
      await model.loadCheckpoint(bytes)
      this.#checkpoint = bytes
    })
  }

  lastSyncMs(): Promise<number | null> {
    return this.#call((model) => model.lastSyncMs())
  }

  /** Ends the worker; calls under way reject. */
  close(): void {
    this.#isClosed = true
    this.#bridge?.terminate()
  }

  async #call<Result>(use: (model: Remoted<WorkerModel<Source>>) => Promise<Result>): Promise<Result> {
    for (;;) {
      const ready = (this.#ready ??= this.#start())
      try {
        const result = await use(await ready)
        this.#losses = 0
        return result
      } catch (error) {
        const loss = this.#lossOf(error)
        if (loss === null) {
          await ready.catch(() => (this.#ready = null))
          throw error
        }
        if (this.#isClosed) throw error
        // Several calls may have been under way; the first to hear of the loss starts the next worker.
        if (this.#ready === ready) {
          this.#ready = null
          this.#bridge?.terminate()
          if (++this.#losses >= MOST_LOSSES) throw error
          this.#options.onRestart?.(loss)
        } else if (this.#ready === null) throw error
      }
    }
  }

  #lossOf(error: unknown): WorkerLostError | null {
    if (error instanceof WorkerLostError) return error
    if (!isDeviceFailure(error)) return null
    return new WorkerLostError(this.#options.name, 'its graphics device failed', { cause: error })
  }

  async #start(): Promise<Remoted<WorkerModel<Source>>> {
    const bridge = this.#options.startWorker()
    this.#bridge = bridge
    this.#info = await bridge.remote.load(this.#options.source, this.#options.onBytes)
    if (this.#checkpoint !== null) await bridge.remote.loadCheckpoint(this.#checkpoint)
    return bridge.remote
  }
}
