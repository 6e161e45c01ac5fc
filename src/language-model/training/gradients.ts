/** The gradient of one optimiser step, as a sum over micro-batches in a fixed order. */
import * as tf from '@tensorflow/tfjs-core'
import { gatherRows, selectedLogProbs } from '../ops/index.ts'
import type { Transformer } from '../transformer.ts'
import type { MicroBatch } from './packing.ts'
import type { PlannedStep } from './policy-steps.ts'

/** More than a step has. Micro-batches are numbered across steps, so that each has a dropout seed of its own. */
const MICRO_BATCHES = 1 << 12

export interface MicroBatchGradients {
  /** By parameter. */
  gradients: Map<string, tf.Tensor>
  /** What the loss sums over micro-batches. */
  sums: tf.Tensor1D
}

export interface GradientOptions {
  /** Whether layers keep only their inputs and run again in the backward pass. */
  recomputesActivations: boolean
  /** Updates of the model so far. */
  updates: number
}

export function microBatchGradients(
  model: Transformer,
  step: PlannedStep,
  index: number,
  { recomputesActivations, updates }: GradientOptions,
): MicroBatchGradients {
  const micro = step.microBatches[index]!
  const trained = model.trainableParameters()
  if (trained.size === 0)
    throw new Error(
      'This model has nothing to train: all its weights are frozen, as four-bit weights are. Attach adapters first.',
    )
  let sums: tf.Tensor1D | null = null
  const { value, grads } = tf.variableGrads(() => {
    const dropoutSeed = updates * MICRO_BATCHES + index
    const rows = model.hidden(micro.batch, micro.outputRows, undefined, { recomputesActivations, dropoutSeed })
    const { logProbs, entropy } = selectedLogProbs(
      predictorRows(rows, micro),
      model.head,
      micro.targets,
      step.temperature,
    )
    const result = step.lossOf(logProbs, entropy, micro)
    sums = tf.keep(result.sums)
    return result.loss
  }, [...trained.values()])
  value.dispose()
  const gradients = new Map<string, tf.Tensor>()
  for (const [name, variable] of trained) {
    const gradient = grads[variable.name]
    if (gradient) gradients.set(name, gradient)
  }
  return { gradients, sums: sums! }
}

/** Adds the gradients of micro-batches, which must come in their order: sums of floats depend on it. */
export class GradientSum {
  readonly #waiting = new Map<number, MicroBatchGradients>()
  readonly #gradients = new Map<string, tf.Tensor>()
  #sums: tf.Tensor1D | null = null
  #count = 0

  /** How many have been added; the index of the next. */
  get count(): number {
    return this.#count
  }

  /** Adds those of a micro-batch as soon as all before it have been added. Disposes them then. */
  give(index: number, own: MicroBatchGradients): void {
    this.#waiting.set(index, own)
    for (let next = this.#waiting.get(this.#count); next; next = this.#waiting.get(this.#count)) {
      this.#waiting.delete(this.#count++)
      this.#add(next)
    }
  }

  /** The sums so far; the caller disposes the gradients. */
  async result(): Promise<{ gradients: Map<string, tf.Tensor>; sums: number[] }> {
    const sums = Array.from((await this.#sums?.data()) ?? [])
    this.#sums?.dispose()
    this.#sums = null
    return { gradients: this.#gradients, sums }
  }

  dispose(): void {
    this.#sums?.dispose()
    tf.dispose([...this.#gradients.values()])
    for (const { gradients, sums } of this.#waiting.values()) tf.dispose([sums, ...gradients.values()])
  }

  #add({ gradients, sums }: MicroBatchGradients): void {
    for (const [name, gradient] of gradients) {
      const previous = this.#gradients.get(name)
      this.#gradients.set(name, previous ? tf.add(previous, gradient) : gradient)
      if (previous) tf.dispose([previous, gradient])
    }
    const previous: tf.Tensor1D | null = this.#sums
    this.#sums = previous ? tf.add(previous, sums) : sums
    if (previous) tf.dispose([previous, sums])
  }
}

/** One row for each response token: a row that predicts several tokens is repeated. */
export function predictorRows(rows: tf.Tensor2D, { predictor, outputRows }: MicroBatch): tf.Tensor2D {
  return isIdentity(predictor, outputRows.length) ? rows : gatherRows(rows, predictor)
}

function isIdentity(indices: Int32Array, length: number): boolean {
  return indices.length === length && indices.every((index, i) => index === i)
}
