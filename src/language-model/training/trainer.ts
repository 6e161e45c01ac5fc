/**
 * Optimiser steps on a transformer: sums the gradients of packed micro-batches, clips them by their global norm and applies AdamW
 * (β = 0.9, 0.999, ε = 1e-8, decoupled weight decay). The released trainers lose the optimiser's moments after each iteration, as
 * each iteration is a new process; here they live as long as the model.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { TrainingExample, UpdateMetrics, UpdateOptions } from '../../method/ports.ts'
import { Breather } from '../sampling/breathe.ts'
import { aggregationWeights, policyLoss } from './loss.ts'
import { adamw, clipScale, gatherRows, globalNorm, selectedLogProbs } from '../ops/index.ts'
import { type MicroBatch, packMicroBatches, type Sequence, splitIntoUpdates } from './packing.ts'
import { importanceWeights, mismatchSum } from '../sampling/sampler-mismatch.ts'
import type { Transformer } from '../transformer.ts'

/** A response to imitate. */
export interface SupervisedExample extends Sequence {
  /** Weight of each of its tokens in the mean; 1 by default. */
  weight?: number
}

export interface FitOptions {
  learningRate: number
  /** Optimiser steps to split the examples into; 1 by default. */
  updates?: number
  /** 1 by default. */
  maxGradNorm?: number
  /** 0 by default. */
  weightDecay?: number
}

export interface FitMetrics {
  /** Mean negative log-likelihood per token, in nats, before each update. */
  loss: number
  grad_norm: number
  lossTokens: number
  trainedTokens: number
}

export class DivergedError extends Error {
  override name = 'DivergedError'
}

export interface Moments {
  first: tf.Variable
  second: tf.Variable
}

export interface TrainerOptions {
  /** Tokens run forward and backward at once. */
  microBatchTokens: number
  /** Whether layers keep only their inputs and run again in the backward pass: a third more work, and memory that hardly grows with depth. */
  recomputeActivations: boolean
}

interface StepOptions {
  learningRate: number
  maxGradNorm: number
  weightDecay: number
}

/** An example with the reference log-probabilities of its ratios. */
interface ComparedExample extends TrainingExample {
  /** [response.length] */
  importance?: Float32Array
}

/** More than a step has. Micro-batches are numbered across steps, so that each has a dropout seed of its own. */
const MICRO_BATCHES = 1 << 12

/** Loss of a micro-batch, and numbers to sum over the micro-batches of a step. */
type MicroBatchLoss = (
  logProbs: tf.Tensor1D,
  entropy: tf.Tensor1D,
  micro: MicroBatch,
) => { loss: tf.Scalar; sums: tf.Tensor1D }

interface StepResult {
  sums: number[]
  gradNorm: number
  trainedTokens: number
}

export class Trainer {
  readonly #model: Transformer
  readonly #options: TrainerOptions
  /** By parameter; created on first use. */
  readonly moments = new Map<string, Moments>()
  /** Updates so far, for Adam's bias correction. */
  step = 0

  constructor(model: Transformer, microBatchTokens: number, recomputeActivations = false) {
    this.#model = model
    this.#options = { microBatchTokens, recomputeActivations }
  }

  /**
   * One pass over the examples. An abort keeps the updates so far. If another program sampled, ratios use this model's
   * log-probabilities before the first step (sampler-mismatch.ts). Throws DivergedError and leaves the weights as before the step.
   */
  async update(
    examples: readonly TrainingExample[],
    options: UpdateOptions,
    signal?: AbortSignal,
  ): Promise<UpdateMetrics> {
    for (const { response, oldLogProbs } of examples) {
      if (oldLogProbs.length !== response.length)
        throw new Error(
          `A training example has ${response.length} response tokens and ${oldLogProbs.length} log-probabilities. Keep both as they were sampled.`,
        )
    }
    const usable = examples.filter(({ response }) => response.length > 0)
    const totals: UpdateMetrics = {
      pg_loss: 0,
      kl_loss: 0,
      ppo_kl: 0,
      pg_clipfrac: 0,
      entropy: 0,
      grad_norm: 0,
      lossTokens: 0,
      trainedTokens: 0,
    }
    if (usable.length === 0) return totals
    const breather = new Breather()
    let compared: readonly ComparedExample[] = usable
    if (options.sampledElsewhere === true) {
      const { examples: own, mismatch } = await this.#comparedWithSampler(usable, options, breather, signal)
      compared = own
      totals.mismatch_kl = mismatch
    }
    const steps = splitIntoUpdates(compared, options.updatesPerIteration)
    for (const part of steps) {
      const weights = aggregationWeights(
        part.map(({ response }) => response.length),
        options.lossAggregation,
      )
      const result = await this.#step(
        part,
        options.temperature,
        options,
        (logProbs, entropy, micro) => {
          const { loss, sums } = policyLoss(
            logProbs,
            {
              oldLogProbs: perToken(micro, (example, offset) => part[example]!.oldLogProbs[offset]!),
              advantages: perToken(micro, (example) => part[example]!.advantage),
              weights: perToken(micro, (example) => weights[example]!),
              ...(part[0]!.importance && {
                importance: perToken(micro, (example, offset) => part[example]!.importance![offset]!),
              }),
            },
            options,
          )
          return { loss, sums: tf.concat<tf.Tensor1D>([sums, tf.reshape(tf.sum(entropy), [1])]) }
        },
        breather,
        signal,
      )
      const [policyGradient, divergence, klSum, clipped, entropySum] = result.sums as [
        number,
        number,
        number,
        number,
        number,
      ]
      totals.pg_loss += policyGradient / steps.length
      totals.kl_loss += divergence / steps.length
      totals.grad_norm += result.gradNorm / steps.length
      totals.ppo_kl += klSum
      totals.pg_clipfrac += clipped
      totals.entropy += entropySum
      totals.lossTokens += part.reduce((sum, { response }) => sum + response.length, 0)
      totals.trainedTokens += result.trainedTokens
    }
    totals.ppo_kl /= totals.lossTokens
    totals.pg_clipfrac /= totals.lossTokens
    totals.entropy /= totals.lossTokens
    return totals
  }

  /** Supervised training, loss = Σ w · (-log π(token)) / Σ w: one pass over the examples. */
  async fit(examples: readonly SupervisedExample[], options: FitOptions, signal?: AbortSignal): Promise<FitMetrics> {
    const usable = examples.filter(({ response, weight = 1 }) => response.length > 0 && weight !== 0)
    const totals = { loss: 0, grad_norm: 0, lossTokens: 0, trainedTokens: 0 }
    const steps = usable.length > 0 ? splitIntoUpdates(usable, options.updates ?? 1) : []
    const breather = new Breather()
    for (const part of steps) {
      const total = part.reduce((sum, { response, weight = 1 }) => sum + weight * response.length, 0)
      const stepOptions = {
        learningRate: options.learningRate,
        maxGradNorm: options.maxGradNorm ?? 1,
        weightDecay: options.weightDecay ?? 0,
      }
      const result = await this.#step(
        part,
        1,
        stepOptions,
        (logProbs, _entropy, micro) => {
          const weights = tf.tensor1d(perToken(micro, (example) => (part[example]!.weight ?? 1) / total))
          const loss = tf.neg<tf.Scalar>(tf.sum(tf.mul(weights, logProbs)))
          return { loss, sums: tf.reshape<tf.Rank.R1>(loss, [1]) }
        },
        breather,
        signal,
      )
      totals.loss += result.sums[0]! / steps.length
      totals.grad_norm += result.gradNorm / steps.length
      totals.lossTokens += part.reduce((sum, { response }) => sum + response.length, 0)
      totals.trainedTokens += result.trainedTokens
    }
    return totals
  }

  /** log π of every response token at a temperature, without dropout; [example][response.length]. */
  async logProbs(
    examples: readonly Sequence[],
    temperature: number,
    breather = new Breather(),
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const result = examples.map(({ response }) => new Float32Array(response.length))
    for (const micro of packMicroBatches(examples, this.#options.microBatchTokens)) {
      await breather.breathe(signal)
      const logProbs = tf.tidy(() => {
        const rows = this.#model.hidden(micro.batch, micro.outputRows)
        return selectedLogProbs(predictorRows(rows, micro), this.#model.head, micro.targets, temperature).logProbs
      })
      try {
        const values = await logProbs.data<'float32'>()
        micro.example.forEach((example, entry) => (result[example]![micro.offset[entry]!] = values[entry]!))
      } finally {
        logProbs.dispose()
      }
    }
    return result
  }

  /** Gradients summed over micro-batches, by parameter; the caller disposes them. */
  async gradients(
    examples: readonly Sequence[],
    temperature: number,
    lossOf: MicroBatchLoss,
    breather = new Breather(),
    signal?: AbortSignal,
  ): Promise<{ gradients: Map<string, tf.Tensor>; sums: number[]; trainedTokens: number }> {
    const gradients = new Map<string, tf.Tensor>()
    let sums: tf.Tensor1D | null = null
    let trainedTokens = 0
    try {
      for (const [index, micro] of packMicroBatches(examples, this.#options.microBatchTokens).entries()) {
        await breather.breathe(signal)
        const own = this.#microBatchGradients(micro, this.step * MICRO_BATCHES + index, temperature, lossOf)
        trainedTokens += micro.batch.tokens.length
        for (const [name, gradient] of own.gradients) accumulate(gradients, name, gradient)
        const previous: tf.Tensor1D | null = sums
        sums = previous ? tf.add(previous, own.sums) : own.sums
        if (previous) tf.dispose([previous, own.sums])
      }
      return { gradients, sums: Array.from((await sums?.data()) ?? []), trainedTokens }
    } catch (error) {
      tf.dispose([...gradients.values()])
      throw error
    } finally {
      sums?.dispose()
    }
  }

  /** Resets the optimiser's state, for example when the trainable parameters change. */
  reset(): void {
    this.dispose()
    this.step = 0
  }

  dispose(): void {
    for (const { first, second } of this.moments.values()) tf.dispose([first, second])
    this.moments.clear()
  }

  momentsOf(name: string): Moments {
    let moments = this.moments.get(name)
    if (!moments) {
      const parameter = this.#model.trainableParameters().get(name)!
      moments = tf.tidy(() => ({
        first: tf.variable(tf.zerosLike(parameter)),
        second: tf.variable(tf.zerosLike(parameter)),
      }))
      this.moments.set(name, moments)
    }
    return moments
  }

  async #comparedWithSampler(
    examples: readonly TrainingExample[],
    { temperature, importanceCap = 0 }: UpdateOptions,
    breather: Breather,
    signal?: AbortSignal,
  ): Promise<{ examples: ComparedExample[]; mismatch: number }> {
    const own = await this.logProbs(examples, temperature, breather, signal)
    let sum = 0
    let tokens = 0
    const compared = examples.map((example, i): ComparedExample => {
      sum += mismatchSum(own[i]!, example.oldLogProbs)
      tokens += example.response.length
      return {
        ...example,
        oldLogProbs: own[i]!,
        ...(importanceCap > 0 && { importance: importanceWeights(own[i]!, example.oldLogProbs, importanceCap) }),
      }
    })
    return { examples: compared, mismatch: sum / tokens }
  }

  #microBatchGradients(
    micro: MicroBatch,
    dropoutSeed: number,
    temperature: number,
    lossOf: MicroBatchLoss,
  ): { gradients: Map<string, tf.Tensor>; sums: tf.Tensor1D } {
    let sums: tf.Tensor1D | null = null
    const trained = this.#model.trainableParameters()
    if (trained.size === 0)
      throw new Error(
        'This model has nothing to train: its adapters are merged, or all its weights are frozen, as four-bit weights are. Unmerge the adapters or attach some first.',
      )
    const { value, grads } = tf.variableGrads(() => {
      const rows = this.#model.hidden(micro.batch, micro.outputRows, undefined, {
        recomputesActivations: this.#options.recomputeActivations,
        dropoutSeed,
      })
      const { logProbs, entropy } = selectedLogProbs(
        predictorRows(rows, micro),
        this.#model.head,
        micro.targets,
        temperature,
      )
      const result = lossOf(logProbs, entropy, micro)
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

  async #step(
    examples: readonly Sequence[],
    temperature: number,
    options: StepOptions,
    lossOf: MicroBatchLoss,
    breather: Breather,
    signal?: AbortSignal,
  ): Promise<StepResult> {
    const { gradients, sums, trainedTokens } = await this.gradients(examples, temperature, lossOf, breather, signal)
    const norm = globalNorm([...gradients.values()])
    try {
      const gradNorm = (await norm.data())[0]!
      if (!Number.isFinite(gradNorm))
        throw new DivergedError(
          'A gradient is not finite, so the update was skipped. Lower the learning rate, or go back to an earlier checkpoint.',
        )
      this.step++
      const scale = clipScale(norm, options.maxGradNorm)
      const trained = this.#model.trainableParameters()
      for (const [name, gradient] of gradients) {
        const { first, second } = this.momentsOf(name)
        adamw(trained.get(name)!, gradient, first, second, {
          learningRate: options.learningRate,
          beta1: 0.9,
          beta2: 0.999,
          epsilon: 1e-8,
          weightDecay: options.weightDecay,
          step: this.step,
          gradientScale: scale,
        })
      }
      scale.dispose()
      return { sums, gradNorm, trainedTokens }
    } finally {
      tf.dispose([norm, ...gradients.values()])
    }
  }
}

function accumulate(sums: Map<string, tf.Tensor>, name: string, gradient: tf.Tensor): void {
  const previous = sums.get(name)
  sums.set(name, previous ? tf.add(previous, gradient) : gradient)
  if (previous) tf.dispose([previous, gradient])
}

/** One row for each response token: a row that predicts several tokens is repeated. */
function predictorRows(rows: tf.Tensor2D, { predictor, outputRows }: MicroBatch): tf.Tensor2D {
  return isIdentity(predictor, outputRows.length) ? rows : gatherRows(rows, predictor)
}

function isIdentity(indices: Int32Array, length: number): boolean {
  return indices.length === length && indices.every((index, i) => index === i)
}

function perToken(micro: MicroBatch, value: (example: number, offset: number) => number): Float32Array {
  return Float32Array.from(micro.example, (example, entry) => value(example, micro.offset[entry]!))
}
