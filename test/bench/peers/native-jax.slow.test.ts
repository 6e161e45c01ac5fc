import { describe, expect, it } from 'vitest'
import { benchModel, randomBatch, randomPrompts } from '../../../src/bench/bench-model.ts'
import { largestDifference, relativeDifference } from '../../../src/bench/comparison.ts'
import { ownGeneration } from '../../../src/bench/own-generation.ts'
import { ownTraining } from '../../../src/bench/own-training.ts'
import { nativeJaxGeneration } from '../../../src/bench/peers/native-jax/generation.ts'
import { nativeJaxTraining } from '../../../src/bench/peers/native-jax/training.ts'

const model = benchModel({
  hiddenSize: 8,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  intermediateSize: 12,
  vocabularySize: 6,
})

const python = process.env['JAX_PYTHON']

describe.skipIf(!python)('JAX itself, where JAX_PYTHON names it', () => {
  it('has the gradients of the engine and decodes its tokens', { timeout: 300_000 }, async () => {
    const options = { python, threads: 1 }
    const [own, jax] = [await ownTraining('cpu')(model), await nativeJaxTraining(options)(model)]
    const batch = randomBatch(model.config, 3, 7)
    const expected = await own.gradients(batch)
    const found = await jax.gradients(batch)
    expect(largestDifference(found.gradients, expected.gradients).difference).toBeLessThan(1e-4)
    for (let step = 0; step < 3; step++)
      expect(Math.abs((await jax.step(batch)) - (await own.step(batch)))).toBeLessThan(1e-4)
    own.dispose()
    jax.dispose()
    const [ownSampler, jaxSampler] = [await ownGeneration('cpu')(model), await nativeJaxGeneration(options)(model)]
    const prompts = randomPrompts(model.config, 2, 5)
    expect(relativeDifference(await jaxSampler.logits(prompts), await ownSampler.logits(prompts))).toBeLessThan(1e-4)
    expect(await jaxSampler.generate(prompts, 6)).toEqual(await ownSampler.generate(prompts, 6))
    ownSampler.dispose()
    jaxSampler.dispose()
  })
})
