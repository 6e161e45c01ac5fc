/** One copy of a built-in model in a supervised worker: copies help one of them to learn. */
import type {
  GradientHelpers,
  GradientPart,
  GradientRequest,
  SharedUpdate,
} from '../../language-model/training/shared-gradients.ts'
import type { TrainingExample, UpdateMetrics, UpdateOptions } from '../../method/ports.ts'
import type { Bridge, Remoted } from '../../threads/worker-bridge.ts'
import { SupervisedModel, type SupervisedModelOptions } from './supervised-model.ts'
import type { TransformerModel, TransformerSource } from './transformer-model.ts'

export interface TransformerCopyOptions extends SupervisedModelOptions<TransformerSource> {
  startWorker(): Bridge<TransformerModel>
}

export class TransformerCopy extends SupervisedModel<TransformerSource> {
  readonly #worker: () => Remoted<TransformerModel>
  /** The update of another copy that a worker planned last. */
  #planned: { update: SharedUpdate; worker: Remoted<TransformerModel> } | null = null

  constructor(options: TransformerCopyOptions) {
    let bridge: Bridge<TransformerModel> | null = null
    super({ ...options, startWorker: () => (bridge = options.startWorker()) })
    // Within a call, the worker that was started last is the one that answers.
    this.#worker = () => bridge!.remote
  }

  override update(
    examples: readonly TrainingExample[],
    options: UpdateOptions,
    signal?: AbortSignal,
    helpers?: GradientHelpers,
  ): Promise<UpdateMetrics> {
    return this.updated(() => this.#worker().update(examples, options, signal, helpers?.count ?? 0, helpers?.gradients))
  }

  /** Gradients for another copy's update, which its worker plans first, and again in a new worker. */
  helpWithGradients(update: SharedUpdate, request: GradientRequest): Promise<GradientPart[]> {
    return this.call(async () => {
      const worker = this.#worker()
      if (this.#planned?.worker !== worker || this.#planned.update !== update) {
        await worker.prepareGradients(update.examples, update.options)
        this.#planned = { update, worker }
      }
      return worker.helpWithGradients(request)
    })
  }
}
