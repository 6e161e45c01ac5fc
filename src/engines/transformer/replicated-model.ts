/**
 * A model on several workers: the first learns, and all of them sample with its weights and compute gradients for it. Results are
 * those of one worker, bit for bit, because what a request samples depends on weights and seed, not on the requests beside it, and
 * gradients are added in one order (shared-gradients.ts).
 *
 * The other workers start when there is something to divide. One that is lost for good is left out, and the first takes its share.
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
import type { FolderFiles, ModelInfo, RoleModel } from '../../roles/role-model.ts'
import type {
  GradientHelpers,
  GradientPart,
  GradientRequest,
  SharedUpdate,
} from '../../language-model/training/shared-gradients.ts'
import { isDeviceFailure, WorkerLostError } from '../../threads/errors.ts'
import { AffinityRouter } from './affinity-router.ts'

/** What it needs of each copy, as SupervisedModel gives it. */
export interface ModelCopy extends Required<RoleModel> {
  load(): Promise<ModelInfo>
  update(
    examples: readonly TrainingExample[],
    options: UpdateOptions,
    signal?: AbortSignal,
    helpers?: GradientHelpers,
  ): Promise<UpdateMetrics>
  helpWithGradients(update: SharedUpdate, request: GradientRequest): Promise<GradientPart[]>
  close(): void
}

export interface ReplicatedModelOptions {
  /** Workers in all, at least 1. */
  samplers: number
  /** Copy 0 learns. Starts nothing before the copy's first call. */
  copy(index: number): ModelCopy
  /** A copy was given up; `error` says why. */
  onLost?(error: unknown): void
}

export class ReplicatedModel implements RoleModel {
  readonly #first: ModelCopy
  readonly #others: (ModelCopy | null)[]
  readonly #router: AffinityRouter
  readonly #onLost: (error: unknown) => void
  /** Weights that copies have or are about to get; null while they are those of the source. */
  #weights: Promise<Uint8Array> | null = null
  /** By copy: resolves when it has these weights. */
  readonly #updated = new Map<ModelCopy, Promise<void>>()

  constructor({ samplers, copy, onLost }: ReplicatedModelOptions) {
    this.#first = copy(0)
    this.#others = Array.from({ length: samplers - 1 }, (_, index) => copy(index + 1))
    this.#router = new AffinityRouter(samplers)
    this.#onLost = onLost ?? (() => {})
  }

  load(): Promise<ModelInfo> {
    return this.#first.load()
  }

  chatPieces(): Promise<ChatPieces | null> {
    return this.#first.chatPieces()
  }

  encode(texts: readonly string[]): Promise<Tokens[]> {
    return this.#first.encode(texts)
  }

  async generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    const completions: Completion[][] = []
    const sample = async (model: ModelCopy, share: readonly number[]) => {
      const answers = await model.generate(
        share.map((index) => requests[index]!),
        options,
        signal,
      )
      share.forEach((index, i) => (completions[index] = answers[i]!))
    }
    const work = this.#router.divide(requests).map(async (share, sampler) => {
      if (share.length === 0) return
      const other = sampler === 0 ? null : this.#others[sampler - 1]!
      if (other === null) return sample(this.#first, share)
      try {
        await this.#ask(other, async () => {
          await this.#hasWeights(other)
          await sample(other, share)
        })
      } catch {
        signal?.throwIfAborted()
        await sample(this.#first, share)
      }
    })
    // All of them, so that none still computes after an error.
    const failed = (await Promise.allSettled(work)).find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
    return completions
  }

  async update(
    examples: readonly TrainingExample[],
    options: UpdateOptions,
    signal?: AbortSignal,
  ): Promise<UpdateMetrics> {
    try {
      return await this.#first.update(examples, options, signal, this.#helpers({ examples, options }))
    } finally {
      this.#share(this.#first.saveCheckpoint())
    }
  }

  saveCheckpoint(): Promise<Uint8Array> {
    return this.#first.saveCheckpoint()
  }

  async loadCheckpoint(bytes: Uint8Array): Promise<void> {
    await this.#first.loadCheckpoint(bytes)
    this.#share(Promise.resolve(bytes))
  }

  saveFolder(): Promise<FolderFiles | null> {
    return this.#first.saveFolder()
  }

  lastSyncMs(): Promise<number | null> {
    return this.#first.lastSyncMs()
  }

  /** Ends all workers; pending calls reject. */
  close(): void {
    this.#first.close()
    for (const other of this.#others) other?.close()
    // What they were doing now fails, which is no loss to report.
    this.#others.fill(null)
  }

  /** Copies get the weights when they next sample. */
  #share(weights: Promise<Uint8Array>): void {
    weights.catch(() => {})
    this.#weights = weights
    this.#updated.clear()
    this.#router.forget()
  }

  #hasWeights(copy: ModelCopy): Promise<void> {
    const known = this.#updated.get(copy)
    if (known) return known
    const weights = this.#weights
    const updated = weights === null ? Promise.resolve() : weights.then((bytes) => copy.loadCheckpoint(bytes))
    this.#updated.set(copy, updated)
    return updated
  }

  /** The other copies. Each request has the weights, so they need not have those of the first. */
  #helpers(update: SharedUpdate): GradientHelpers {
    const copies = this.#others.filter((copy) => copy !== null)
    return {
      count: copies.length,
      gradients: (helper, request) => {
        const copy = copies[helper]!
        return this.#ask(copy, () => copy.helpWithGradients(update, request))
      },
    }
  }

  /**
   * Asks another copy, and gives it up if it cannot open the model or its worker is lost for good. Other errors are of the question:
   * the first copy would throw them too.
   */
  async #ask<Answer>(copy: ModelCopy, question: () => Promise<Answer>): Promise<Answer> {
    let isOpen = false
    try {
      await copy.load()
      isOpen = true
      return await question()
    } catch (error) {
      if (!isOpen || error instanceof WorkerLostError || isDeviceFailure(error)) this.#giveUp(copy, error)
      throw error
    }
  }

  #giveUp(copy: ModelCopy, error: unknown): void {
    const index = this.#others.indexOf(copy)
    if (index < 0) return
    this.#others[index] = null
    copy.close()
    this.#onLost(error)
  }
}
