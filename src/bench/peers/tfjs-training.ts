/** The training step as a user of stock TensorFlow.js writes it: `variableGrads` of a stock loss, and the stock Adam. */
import * as tf from '@tensorflow/tfjs-core'
import type { BenchModel, TokenBatch } from '../bench-model.ts'
import { LEARNING_RATE, MAX_GRAD_NORM, type Open, type StartedBackend, type TrainingSubject } from '../subjects.ts'
import { startTfjs, type TfjsBackend, type TfjsFiles } from './tfjs-backend.ts'
import { type Products, TfjsLlama } from './tfjs-llama.ts'

export interface TfjsTrainingOptions extends TfjsFiles {
  backend: TfjsBackend
  products: Products
}

export function tfjsTraining(options: TfjsTrainingOptions): Open<TrainingSubject> {
  return async (model) => new TfjsTraining(model, options, await startTfjs(options.backend, options))
}

class TfjsTraining implements TrainingSubject {
  readonly name: string
  readonly note: string
  readonly #benchModel: BenchModel
  readonly #started: StartedBackend
  readonly #products: Products
  #llama: TfjsLlama | null = null
  #length = 0
  readonly #optimizer = tf.train.adam(LEARNING_RATE, 0.9, 0.999, 1e-8)

  constructor(model: BenchModel, { backend, products }: TfjsTrainingOptions, started: StartedBackend) {
    this.name = `tfjs ${backend}${products === 'as stock' ? '' : `, ${products}`}`
    this.note = started.note
    this.#benchModel = model
    this.#started = started
    this.#products = products
  }

  async gradients(batch: TokenBatch) {
    const { llama, loss, gradients } = await this.#lossAndGradients(batch)
    const arrays = new Map<string, Float32Array>()
    for (const [name, variable] of llama.variables) {
      arrays.set(name, await llama.stored(name, gradients[variable.name]!))
    }
    const value = (await loss.data())[0]!
    tf.dispose([loss, gradients])
    return { loss: value, gradients: arrays }
  }

  async step(batch: TokenBatch): Promise<number> {
    const { llama, loss, gradients } = await this.#lossAndGradients(batch)
    tf.tidy(() => {
      const squares = Object.values(gradients).map((gradient) => tf.sum(tf.square(gradient)))
      const norm = tf.sqrt(tf.sum(tf.stack(squares)))
      const scale = tf.minimum(1, tf.div(MAX_GRAD_NORM, tf.add(norm, 1e-6)))
      this.#optimizer.applyGradients(
        Object.fromEntries(Object.entries(gradients).map(([name, gradient]) => [name, tf.mul(gradient, scale)])),
      )
    })
    const value = (await loss.data())[0]!
    // A graphics device only queues the update; reading a weight waits for it.
    await tf.tidy(() => tf.sum(llama.weight('model.norm.weight'))).data()
    tf.dispose([loss, gradients])
    return value
  }

  dispose(): void {
    this.#optimizer.dispose()
    this.#llama?.dispose()
  }

  async #lossAndGradients({ sequences, length, tokens, targets }: TokenBatch) {
    await this.#started.use()
    const llama = this.#modelFor(length)
    const { value, grads } = tf.variableGrads(() => {
      const logits = llama.logits(llama.hidden(tf.tensor1d(tokens, 'int32'), sequences))
      const labels = tf.oneHot(tf.tensor1d(targets, 'int32'), llama.config.vocabularySize)
      return tf.losses.softmaxCrossEntropy<tf.Tensor, tf.Scalar>(labels, logits)
    }, [...llama.variables.values()])
    return { llama, loss: value, gradients: grads }
  }

  #modelFor(length: number): TfjsLlama {
    if (this.#llama && this.#length !== length)
      throw new RangeError(`This subject requires sequences of ${this.#length} tokens, not ${length}.`)
    this.#length = length
    return (this.#llama ??= new TfjsLlama(this.#benchModel, length, this.#products))
  }
}
