/**
 * Greedy decoding as a user of stock TensorFlow.js would write it: every step concatenates its keys and values to each layer's tensors
 * and selects the likeliest token on the device. The tokens stay there until the end.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { BenchModel } from '../bench-model.ts'
import type { GenerationSubject, Open, StartedBackend } from '../subjects.ts'
import { startTfjs, type TfjsBackend, type TfjsFiles } from './tfjs-backend.ts'
import { type LayerCache, TfjsLlama } from './tfjs-llama.ts'

/** Prompt and completion together. */
const MAX_POSITIONS = 1024

export function tfjsGeneration(backend: TfjsBackend, files: TfjsFiles = {}): Open<GenerationSubject> {
  return async (model) => new TfjsGeneration(model, backend, await startTfjs(backend, files))
}

class TfjsGeneration implements GenerationSubject {
  readonly name: string
  readonly note: string
  readonly #started: StartedBackend
  readonly #llama: TfjsLlama

  constructor(model: BenchModel, backend: TfjsBackend, started: StartedBackend) {
    this.name = `tfjs ${backend}`
    this.note = started.note
    this.#started = started
    this.#llama = new TfjsLlama(model, MAX_POSITIONS, 'as stock')
  }

  async logits(prompts: readonly Int32Array[]): Promise<Float32Array> {
    await this.#started.use()
    const logits = tf.tidy(() => this.#lastLogits(joined(prompts), prompts.length, 0))
    const values = await logits.data<'float32'>()
    logits.dispose()
    return values
  }

  async generate(prompts: readonly Int32Array[], count: number): Promise<Int32Array[]> {
    await this.#started.use()
    const batch = prompts.length
    const cache: LayerCache[] = []
    const drawn: tf.Tensor1D[] = []
    let tokens = joined(prompts)
    let from = 0
    for (let step = 0; step < count; step++) {
      const length = tokens.size / batch
      const read = tokens
      tokens = tf.tidy(() => tf.argMax(this.#lastLogits(read, batch, from, cache), 1))
      drawn.push(tokens)
      from += length
      if (step === 0) read.dispose()
      // Otherwise a graphics device would get all steps at once.
      if (step % STEPS_IN_FLIGHT === STEPS_IN_FLIGHT - 1) await tokens.data()
    }
    const together = tf.stack(drawn, 1)
    const values = (await together.data()) as Int32Array
    tf.dispose([together, drawn, cache.map(({ keys, values: kept }) => [keys, kept])])
    return prompts.map((_, row) => values.slice(row * count, (row + 1) * count))
  }

  dispose(): void {
    this.#llama.dispose()
  }

  #lastLogits(tokens: tf.Tensor1D, batch: number, from: number, cache?: LayerCache[]): tf.Tensor2D {
    const hidden = this.#llama.hidden(tokens, batch, from, cache)
    const length = tokens.size / batch
    const last =
      length === 1
        ? hidden
        : tf.reshape<tf.Rank.R2>(
            tf.slice(tf.reshape(hidden, [batch, length, -1]), [0, length - 1, 0], [batch, 1, -1]),
            [batch, -1],
          )
    return this.#llama.logits(last)
  }
}

const STEPS_IN_FLIGHT = 16

function joined(prompts: readonly Int32Array[]): tf.Tensor1D {
  return tf.tensor1d(
    prompts.flatMap((prompt) => Array.from(prompt)),
    'int32',
  )
}
