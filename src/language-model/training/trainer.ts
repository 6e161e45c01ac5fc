/**
 * Optimiser steps on a transformer: sums the gradients of packed micro-batches, clips them by their global norm and applies AdamW
 * (β = 0.9, 0.999, ε = 1e-8, decoupled weight decay). The released trainers lose the optimiser's moments after each iteration, as
 * each iteration is a new process; here they live as long as the model.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { TrainingExample, UpdateMetrics, UpdateOptions } from '../../method/ports.ts'
import { unlessAborted } from '../../method/unless-aborted.ts'
import { Breather } from '../sampling/breathe.ts'
import { adamw, clipScale, globalNorm, selectedLogProbs } from '../ops/index.ts'
import { comparedWithSampler, type ComparedExample } from '../sampling/sampler-mismatch.ts'
import type { Transformer } from '../transformer.ts'
import { GradientSum, microBatchGradients, predictorRows, type MicroBatchGradients } from './gradients.ts'
import { noUpdate } from './no-update.ts'
import { packMicroBatches, type Sequence, splitIntoUpdates } from './packing.ts'
import { perToken, planPolicySteps, type MicroBatchLoss, type PlannedStep } from './policy-steps.ts'
import {
  asPart,
  askHelpers,
  assignWeights,
  ofPart,
  type GradientHelpers,
  type GradientPart,
  type GradientRequest,
} from './shared-gradients.ts'

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

interface StepResult {
  sums: number[]
  gradNorm: number
  trainedTokens: number
}

export class Trainer {
  readonly #model: Transformer
  readonly #options: TrainerOptions
  /** Steps of another copy's update, with which this one helps. */
  #helped: readonly PlannedStep[] = []
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
   * log-probabilities before the first step (sampler-mismatch.ts), and helpers are not asked. Throws DivergedError and leaves the
   * weights as before the step.
   */
  async update(
    examples: readonly TrainingExample[],
    options: UpdateOptions,
    signal?: AbortSignal,
    helpers?: GradientHelpers,
  ): Promise<UpdateMetrics> {
    for (const { response, oldLogProbs } of examples) {
      if (oldLogProbs.length !== response.length)
        throw new Error(
          `A training example has ${response.length} response tokens and ${oldLogProbs.length} log-probabilities. Keep both as they were sampled.`,
        )
    }
    const totals = noUpdate()
    const breather = new Breather()
    let compared: readonly ComparedExample[] = examples
    const isCompared = options.sampledElsewhere === true && examples.some(({ response }) => response.length > 0)
    if (isCompared) {
      const own = await this.logProbs(examples, options.temperature, breather, signal)
      const comparison = comparedWithSampler(examples, own, options.importanceCap)
      compared = comparison.examples
      totals.mismatch_kl = comparison.mismatch
    }
    const steps = planPolicySteps(compared, options, this.#options.microBatchTokens)
    if (steps.length === 0) return totals
    for (const [index, step] of steps.entries()) {
      const result = await this.#step(step, options, breather, signal, isCompared ? undefined : helpers, index)
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
      totals.lossTokens += step.lossTokens
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
      const step: PlannedStep = {
        microBatches: packMicroBatches(part, this.#options.microBatchTokens),
        temperature: 1,
        lossOf: (logProbs, _entropy, micro) => {
          const weights = tf.tensor1d(perToken(micro, (example) => (part[example]!.weight ?? 1) / total))
          const loss = tf.neg<tf.Scalar>(tf.sum(tf.mul(weights, logProbs)))
          return { loss, sums: tf.reshape<tf.Rank.R1>(loss, [1]) }
        },
      }
      const result = await this.#step(step, stepOptions, breather, signal)
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

  /** Plans an update of another model with the same weights, whose gradients this one then helps to compute. */
  prepareGradients(examples: readonly TrainingExample[], options: UpdateOptions): void {
    this.#helped = planPolicySteps(examples, options, this.#options.microBatchTokens)
  }

  /** Gradients of micro-batches of the update that was planned last, with the weights of the request. */
  async helpWithGradients({ step, updates, microBatches, weights }: GradientRequest): Promise<GradientPart[]> {
    const planned = this.#helped[step]
    if (!planned) throw new Error(`No update with ${step + 1} steps has been prepared in this worker.`)
    assignWeights(this.#model, weights)
    const breather = new Breather()
    const parts: GradientPart[] = []
    for (const index of microBatches) {
      await breather.breathe()
      parts.push(await asPart(this.#model, this.#gradientsOf(planned, index, updates)))
    }
    return parts
  }

  /** Gradients summed over micro-batches, by parameter; the caller disposes them. */
  gradients(
    examples: readonly Sequence[],
    temperature: number,
    lossOf: MicroBatchLoss,
  ): Promise<{ gradients: Map<string, tf.Tensor>; sums: number[]; trainedTokens: number }> {
    const microBatches = packMicroBatches(examples, this.#options.microBatchTokens)
    return this.#gradients({ microBatches, temperature, lossOf }, new Map(), new Breather())
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

  #gradientsOf(step: PlannedStep, index: number, updates = this.step): MicroBatchGradients {
    return microBatchGradients(this.#model, step, index, {
      recomputesActivations: this.#options.recomputeActivations,
      updates,
    })
  }

  /** Computes what helpers do not, or could not. */
  async #gradients(
    step: PlannedStep,
    helped: ReadonlyMap<number, Promise<GradientPart>>,
    breather: Breather,
    signal?: AbortSignal,
  ): Promise<{ gradients: Map<string, tf.Tensor>; sums: number[]; trainedTokens: number }> {
    const { microBatches } = step
    const sum = new GradientSum()
    try {
      for (const index of microBatches.keys()) {
        if (helped.has(index)) continue
        await breather.breathe(signal)
        sum.give(index, this.#gradientsOf(step, index))
      }
      for (const [index, answer] of helped) {
        const part = await unlessAborted(
          answer.catch(() => null),
          signal,
        )
        sum.give(index, part ? ofPart(this.#model, part) : this.#gradientsOf(step, index))
      }
      const trainedTokens = microBatches.reduce((total, { batch }) => total + batch.tokens.length, 0)
      return { ...(await sum.result()), trainedTokens }
    } catch (error) {
      sum.dispose()
      throw error
    }
  }

  async #step(
    step: PlannedStep,
    options: StepOptions,
    breather: Breather,
    signal?: AbortSignal,
    helpers?: GradientHelpers,
    index = 0,
  ): Promise<StepResult> {
    const tokens = step.microBatches.map(({ batch }) => batch.tokens.length)
    const helped =
      helpers && tokens.length > 1
        ? await askHelpers(helpers, this.#model, tokens, { step: index, updates: this.step })
        : new Map<number, Promise<GradientPart>>()
    const { gradients, sums, trainedTokens } = await this.#gradients(step, helped, breather, signal)
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
