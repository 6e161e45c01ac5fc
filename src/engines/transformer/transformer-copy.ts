/** One copy of a built-in model in a supervised worker: copies help one of them to learn. */
import type { GradientHelpers, GradientPart, GradientRequest } from '../../language-model/training/shared-gradients.ts'
import type { TrainingExample, UpdateMetrics, UpdateOptions } from '../../method/ports.ts'
import type { Bridge, Remoted } from '../../threads/worker-bridge.ts'
import { SupervisedModel, type SupervisedModelOptions } from './supervised-model.ts'
import type { TransformerModel, TransformerSource } from './transformer-model.ts'

export interface TransformerCopyOptions extends SupervisedModelOptions<TransformerSource> {
  startWorker(): Bridge<TransformerModel>
}

export class TransformerCopy extends SupervisedModel<TransformerSource> {
  readonly #worker: () => Remoted<TransformerModel>

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

  /** Prepares to help another copy with an update. */
  prepareGradients(examples: readonly TrainingExample[], options: UpdateOptions): Promise<void> {
    return this.call(() => this.#worker().prepareGradients(examples, options))
  }

  /** Rejects if its worker was lost since it prepared. */
  helpWithGradients(request: GradientRequest): Promise<GradientPart[]> {
    return this.call(() => this.#worker().helpWithGradients(request))
  }
}
