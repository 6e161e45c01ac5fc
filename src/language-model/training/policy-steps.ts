/** Plans an update: its examples cut into optimiser steps, and each step into micro-batches, in the order in which gradients are added. */
import * as tf from '@tensorflow/tfjs-core'
import type { UpdateOptions } from '../../method/ports.ts'
import type { ComparedExample } from '../sampling/sampler-mismatch.ts'
import { aggregationWeights, policyLoss } from './loss.ts'
import { type MicroBatch, packMicroBatches, splitIntoUpdates } from './packing.ts'

/** Loss of a micro-batch, and numbers to sum over the micro-batches of a step. */
export type MicroBatchLoss = (
  logProbs: tf.Tensor1D,
  entropy: tf.Tensor1D,
  micro: MicroBatch,
) => { loss: tf.Scalar; sums: tf.Tensor1D }

/** An optimiser step. */
export interface PlannedStep {
  microBatches: readonly MicroBatch[]
  temperature: number
  lossOf: MicroBatchLoss
}

/** A step and the number of its tokens with a loss. */
export interface PolicyStep extends PlannedStep {
  lossTokens: number
}

/** Examples without a response do not count. */
export function planPolicySteps(
  examples: readonly ComparedExample[],
  options: UpdateOptions,
  microBatchTokens: number,
): PolicyStep[] {
  const usable = examples.filter(({ response }) => response.length > 0)
  if (usable.length === 0) return []
  return splitIntoUpdates(usable, options.updatesPerIteration).map((part) => ({
    microBatches: packMicroBatches(part, microBatchTokens),
    temperature: options.temperature,
    lossOf: lossOfStep(part, options),
    lossTokens: part.reduce((sum, { response }) => sum + response.length, 0),
  }))
}

function lossOfStep(part: readonly ComparedExample[], options: UpdateOptions): MicroBatchLoss {
  const weights = aggregationWeights(
    part.map(({ response }) => response.length),
    options.lossAggregation,
  )
  return (logProbs, entropy, micro) => {
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
  }
}

export function perToken(micro: MicroBatch, value: (example: number, offset: number) => number): Float32Array {
  return Float32Array.from(micro.example, (example, entry) => value(example, micro.offset[entry]!))
}
