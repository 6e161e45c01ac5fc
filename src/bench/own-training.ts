/** Our transformer and trainer as a subject. */
import * as tf from '@tensorflow/tfjs-core'
import type { BackendName } from '../language-model/backends/backend.ts'
import { type SupervisedExample, Trainer } from '../language-model/training/trainer.ts'
import { Transformer } from '../language-model/transformer.ts'
import { defaultBatchSizes } from '../language-model/weights/memory-budget.ts'
import type { BenchModel, TokenBatch } from './bench-model.ts'
import { OWN_NAMES, startOwn } from './own-backend.ts'
import { LEARNING_RATE, MAX_GRAD_NORM, type Open, type TrainingSubject } from './subjects.ts'

export function ownTraining(device: BackendName): Open<TrainingSubject> {
  return async ({ config, weights }: BenchModel) => {
    const { note, use } = await startOwn(device)
    const model = new Transformer(config, weights)
    const trainer = new Trainer(model, defaultBatchSizes(config).microBatchTokens)
    return {
      name: OWN_NAMES[device],
      note,
      async gradients(batch) {
        await use()
        const tokens = batch.sequences * batch.length
        const { gradients, sums } = await trainer.gradients(examplesOf(batch), 1, (logProbs) => {
          const loss = tf.div<tf.Scalar>(tf.neg(tf.sum(logProbs)), tokens)
          return { loss, sums: tf.reshape<tf.Rank.R1>(loss, [1]) }
        })
        const arrays = new Map<string, Float32Array>()
        for (const [name, gradient] of gradients) arrays.set(name, (await gradient.data<'float32'>()).slice())
        tf.dispose([...gradients.values()])
        return { loss: sums[0]!, gradients: arrays }
      },
      async step(batch) {
        await use()
        const { loss } = await trainer.fit(examplesOf(batch), {
          learningRate: LEARNING_RATE,
          maxGradNorm: MAX_GRAD_NORM,
        })
        return loss
      },
      dispose() {
        trainer.dispose()
        model.dispose()
      },
    }
  }
}

/** The first token is the prompt; the model learns all others. */
function examplesOf({ sequences, length, tokens, targets }: TokenBatch): SupervisedExample[] {
  return Array.from({ length: sequences }, (_, row) => ({
    prompt: tokens.subarray(row * length, row * length + 1),
    response: targets.subarray(row * length, (row + 1) * length),
  }))
}
