/** Our transformer and generator as a subject. */
import * as tf from '@tensorflow/tfjs-core'
import type { BackendName } from '../language-model/backends/backend.ts'
import { Generator } from '../language-model/sampling/generate.ts'
import { defaultBatchSizes } from '../language-model/weights/memory-budget.ts'
import { packMicroBatches } from '../language-model/training/packing.ts'
import { Transformer } from '../language-model/transformer.ts'
import type { SamplingOptions } from '../method/ports.ts'
import type { BenchModel } from './bench-model.ts'
import { OWN_NAMES, startOwn } from './own-backend.ts'
import type { GenerationSubject, Open } from './subjects.ts'

/** Our engine's calls beyond those that peers share. */
export interface OwnGeneration extends GenerationSubject {
  /** Samples `completions` completions of `count` tokens for each prompt, reading the prompt once. */
  sample(prompts: readonly Int32Array[], completions: number, count: number): Promise<void>
}

export function ownGeneration(device: BackendName): Open<OwnGeneration> {
  return async ({ config, weights }: BenchModel) => {
    const { note, use } = await startOwn(device)
    const model = new Transformer(config, weights)
    const generator = new Generator(model, () => '', defaultBatchSizes(config))
    const run = async (prompts: readonly Int32Array[], completions: number, sampling: SamplingOptions) => {
      await use()
      // A warm cache would save this call work.
      generator.forget()
      return generator.generate(
        prompts.map((prompt, seed) => ({ prompt, count: completions, seed })),
        sampling,
      )
    }
    return {
      name: OWN_NAMES[device],
      note,
      async logits(prompts) {
        await use()
        const rows = new Float32Array(prompts.length * config.vocabularySize)
        for (const [row, prompt] of prompts.entries()) {
          // Any response makes a micro-batch predict what follows the prompt.
          const [micro] = packMicroBatches([{ prompt, response: Int32Array.of(0) }], prompt.length)
          const logits = tf.tidy(() => model.logits(model.hidden(micro!.batch, micro!.outputRows)))
          rows.set(await logits.data<'float32'>(), row * config.vocabularySize)
          logits.dispose()
        }
        return rows
      },
      async generate(prompts, count) {
        const completions = await run(prompts, 1, { temperature: 0, topP: 1, maxTokens: count })
        return completions.map(([completion]) => completion!.tokens)
      },
      async sample(prompts, completions, count) {
        await run(prompts, completions, { temperature: 1, topP: 1, maxTokens: count })
      },
      dispose() {
        generator.forget()
        model.dispose()
      },
    }
  }
}
