/**
 * The gradients of an update, computed by several copies of a model. A step has the same micro-batches for any number of copies, and
 * their gradients are added in the same order, so the result is the same bit for bit.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { TrainingExample, UpdateOptions } from '../../method/ports.ts'
import type { Transformer } from '../transformer.ts'
import type { MicroBatchGradients } from './gradients.ts'

/** The gradient of one micro-batch as plain numbers. */
export interface GradientPart {
  /** Gradients of all trainable parameters, one after the other, in the order of `trainableParameters`. */
  values: Float32Array
  /** What the loss sums over micro-batches. */
  sums: Float32Array
}

/** What a copy needs to plan the same steps. */
export interface SharedUpdate {
  examples: readonly TrainingExample[]
  options: UpdateOptions
}

export interface GradientRequest {
  /** Index of the optimiser step within the update. */
  step: number
  /** Updates of the model before this step. */
  updates: number
  /** Micro-batches of the step. */
  microBatches: readonly number[]
  /** The trainable parameters now, one after the other. Also at the first step, which is repeated if the worker that learns is lost. */
  weights: Float32Array
}

/** Copies of the model that plan the same update. */
export interface GradientHelpers {
  count: number
  /** Parts in the order of the request. Rejects if the copy cannot. */
  gradients(helper: number, request: GradientRequest): Promise<GradientPart[]>
}

/** Divides micro-batches so that the largest share is small: each goes to the least loaded, largest first. Share 0 is the model's own. */
export function divideMicroBatches(tokens: readonly number[], shares: number): number[][] {
  const divided = Array.from({ length: shares }, (): number[] => [])
  const loads = divided.map(() => 0)
  const largestFirst = tokens.map((_, index) => index).sort((a, b) => tokens[b]! - tokens[a]! || a - b)
  for (const index of largestFirst) {
    const share = loads.indexOf(Math.min(...loads))
    divided[share]!.push(index)
    loads[share]! += tokens[index]!
  }
  for (const share of divided) share.sort((a, b) => a - b)
  return divided
}

/** Asks helpers for their shares of a step; by micro-batch. */
export async function askHelpers(
  helpers: GradientHelpers,
  model: Transformer,
  tokens: readonly number[],
  { step, updates }: Pick<GradientRequest, 'step' | 'updates'>,
): Promise<Map<number, Promise<GradientPart>>> {
  const [, ...shares] = divideMicroBatches(tokens, helpers.count + 1)
  const weights = await flatWeights(model)
  const parts = new Map<number, Promise<GradientPart>>()
  for (const [helper, microBatches] of shares.entries()) {
    if (microBatches.length === 0) continue
    const answer = helpers.gradients(helper, { step, updates, microBatches, weights })
    for (const [at, microBatch] of microBatches.entries()) {
      const part = answer.then((all) => all[at]!)
      // An error of a helper matters when its part is read.
      part.catch(() => {})
      parts.set(microBatch, part)
    }
  }
  return parts
}

export function flatWeights(model: Transformer): Promise<Float32Array> {
  return flattened([...model.trainableParameters().values()])
}

export function assignWeights(model: Transformer, weights: Float32Array): void {
  const parameters = [...model.trainableParameters().values()]
  const values = unflattened(weights, parameters)
  for (const [i, parameter] of parameters.entries()) parameter.assign(values[i]!)
  tf.dispose(values)
}

/** Disposes the gradients. Throws if the loss does not depend on a parameter, whose gradient numbers could not say. */
export async function asPart(model: Transformer, { gradients, sums }: MicroBatchGradients): Promise<GradientPart> {
  try {
    const inOrder = [...model.trainableParameters().keys()].map((name) => {
      const gradient = gradients.get(name)
      if (!gradient) throw new Error(`The loss does not depend on ${name}, so its gradient cannot be shared.`)
      return gradient
    })
    return { values: await flattened(inOrder), sums: await flattened([sums]) }
  } finally {
    tf.dispose([sums, ...gradients.values()])
  }
}

export function ofPart(model: Transformer, { values, sums }: GradientPart): MicroBatchGradients {
  const parameters = model.trainableParameters()
  const tensors = unflattened(values, [...parameters.values()])
  return { gradients: new Map([...parameters.keys()].map((name, i) => [name, tensors[i]!])), sums: tf.tensor1d(sums) }
}

async function flattened(tensors: readonly tf.Tensor[]): Promise<Float32Array> {
  const flat = new Float32Array(tensors.reduce((sum, { size }) => sum + size, 0))
  let at = 0
  for (const tensor of tensors) {
    flat.set(await tensor.data<'float32'>(), at)
    at += tensor.size
  }
  return flat
}

/** Tensors of the shapes of `like`. */
function unflattened(flat: Float32Array, like: readonly tf.Tensor[]): tf.Tensor[] {
  let at = 0
  return like.map(({ shape, size }) => {
    const values = flat.slice(at, at + size)
    at += size
    return tf.tensor(values, shape, 'float32')
  })
}
