/**
 * A model that survives the loss of its worker: starts a new one with the weights and optimiser state of the last update, and
 * repeats the call. The run continues with the same results, because generation and updates depend only on weights and seeds. A
 * worker whose graphics device has failed counts as lost.
 */
import type { ChatPieces } from '../../method/chat-pieces.ts'
import type { Completion, GenerateCall, Tokens, UpdateCall, UpdateMetrics } from '../../method/ports.ts'
import { isDeviceFailure, WorkerLostError } from '../../threads/errors.ts'
import type { TransformerSource } from './transformer-model.ts'
import type { FolderFiles, ModelInfo, OnBytes, RoleModel } from '../../roles/role-model.ts'
import type { Bridge, Remoted } from '../../threads/worker-bridge.ts'

/** What the worker of a model exposes. */
export interface WorkerModel<Source> extends RoleModel {
  load(source: Source, onBytes?: OnBytes): Promise<ModelInfo>
  saveFolder(): Promise<FolderFiles | null>
  lastSyncMs(): Promise<number | null>
}

export interface SupervisedModelOptions<Source> {
  /** For messages: "policy". */
  name: string
  source: Source
  startWorker(): Bridge<WorkerModel<Source>>
  onBytes?: OnBytes
  onRestart?(loss: WorkerLostError): void
}

/** Consecutive losses without a successful call, after which it gives up. */
const MOST_LOSSES = 3

export class SupervisedModel<Source = TransformerSource> implements RoleModel {
  readonly #options: SupervisedModelOptions<Source>
  #bridge: Bridge<WorkerModel<Source>> | null = null
  #ready: Promise<Remoted<WorkerModel<Source>>> | null = null
  #info: ModelInfo | null = null
  /** Weights of a new worker, from the last complete update; null while they are those of the source. */
  #checkpoint: Uint8Array | null = null
  /** Whether the worker has other weights than that: an update that failed may have made some of its steps. */
  #isStale = false
  #losses = 0
  #isClosed = false

  constructor(options: SupervisedModelOptions<Source>) {
    this.#options = options
  }

  /** Starts the worker and loads the model. Throws the errors of loading. */
  async load(): Promise<ModelInfo> {
    await this.call(async () => {})
    if (this.#info === null) throw new Error(`The ${this.#options.name} model did not load.`)
    return this.#info
  }

  chatPieces(): Promise<ChatPieces | null> {
    return this.call((model) => model.chatPieces())
  }

  encode(texts: readonly string[]): Promise<Tokens[]> {
    return this.call((model) => model.encode(texts))
  }

  generate(...call: GenerateCall): Promise<Completion[][]> {
    return this.call((model) => model.generate(...call))
  }

  update(...call: UpdateCall): Promise<UpdateMetrics> {
    return this.updated((model) => model.update(...call))
  }

  /** Do not modify the result: a restart may read it. */
  saveCheckpoint(): Promise<Uint8Array> {
    return this.call(async (model) => {
      if (this.#checkpoint === null || this.#isStale) this.#keep(await model.saveCheckpoint())
      return this.#checkpoint!
    })
  }

  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.call(async (model) => {
      await model.loadCheckpoint(bytes)
      this.#keep(bytes)
    })
  }

  saveFolder(): Promise<FolderFiles | null> {
    return this.call((model) => model.saveFolder())
  }

  lastSyncMs(): Promise<number | null> {
    return this.call((model) => model.lastSyncMs())
  }

  /** Ends the worker; pending calls reject. */
  close(): void {
    this.#isClosed = true
    this.#bridge?.terminate()
  }

  /** Runs an update, and keeps the weights it gives for the next start. */
  protected updated(update: (model: Remoted<WorkerModel<Source>>) => Promise<UpdateMetrics>): Promise<UpdateMetrics> {
    return this.call(async (model) => {
      try {
        const metrics = await update(model)
        this.#keep(await model.saveCheckpoint())
        return metrics
      } catch (error) {
        this.#isStale = true
        throw error
      }
    })
  }

  #keep(checkpoint: Uint8Array): void {
    this.#checkpoint = checkpoint
    this.#isStale = false
  }

  /** Calls the worker, once it has started; again in a new one if it is lost. */
  protected async call<Result>(use: (model: Remoted<WorkerModel<Source>>) => Promise<Result>): Promise<Result> {
    for (;;) {
      const ready = (this.#ready ??= this.#start())
      try {
        const result = await use(await ready)
        this.#losses = 0
        return result
      } catch (error) {
        const loss = this.#lossOf(error)
        if (loss === null) {
          await ready.catch(() => {
            if (this.#ready !== ready) return
            this.#ready = null
            this.#bridge?.terminate()
          })
          throw error
        }
        if (this.#isClosed) throw error
        // Several calls may be pending; the first to learn of the loss starts the next worker.
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
    if (this.#isClosed) throw new WorkerLostError(this.#options.name, 'it was terminated')
    const bridge = this.#options.startWorker()
    this.#bridge = bridge
    this.#isStale = false
    this.#info = await bridge.remote.load(this.#options.source, this.#options.onBytes)
    if (this.#checkpoint !== null) await bridge.remote.loadCheckpoint(this.#checkpoint)
    return bridge.remote
  }
}
