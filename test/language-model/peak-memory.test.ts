/** Peak memory of a model with a large vocabulary in training and sampling, as counted by the backend's allocator. */
import * as tf from '@tensorflow/tfjs-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SimdBackend } from '../../src/language-model/backends/simd/simd-backend.ts'
import { Generator } from '../../src/language-model/sampling/generate.ts'
import { defaultBatchSizes } from '../../src/language-model/weights/memory-budget.ts'
import { randomStream } from '../../src/language-model/sampling/random-stream.ts'
import { Trainer } from '../../src/language-model/training/trainer.ts'
import type { Transformer } from '../../src/language-model/transformer.ts'
import { PLAIN, randomTokens, tinyModel, tinyTransformer, useBackend } from './tiny-model.ts'
import { UPDATE_OPTIONS } from './update-options.ts'

const VOCABULARY = 60_000
const MEGABYTE = 1e6
const ACTIVATION_BYTES = 1e9
/** Bytes of a token in one layer of the model below, with gradients. */
const BYTES_PER_LAYER = 2 * 4 * (6 * 224 + 4 * 14 * 16 + 4 * 2 * 16 + 4 * 1216)

/** Peak bytes beyond those in use before. */
async function peakOf(work: () => Promise<unknown>): Promise<number> {
  const { allocator } = tf.backend() as SimdBackend
  const before = allocator.bytesInUse
  let most = before
  const allocate = allocator.allocate.bind(allocator)
  allocator.allocate = (bytes) => {
    const address = allocate(bytes)
    most = Math.max(most, allocator.bytesInUse)
    return address
  }
  try {
    await work()
  } finally {
    allocator.allocate = allocate
  }
  return most - before
}

async function gradientPeak(transformer: Transformer, tokens: number, recomputes: boolean): Promise<number> {
  const trainer = new Trainer(transformer, 4096, recomputes)
  const uniform = randomStream(5)
  const vocabulary = transformer.config.vocabularySize
  const examples = [{ prompt: Int32Array.of(3), response: randomTokens(uniform, tokens, vocabulary) }]
  return peakOf(async () => {
    const { gradients } = await trainer.gradients(examples, 1, (logProbs) => {
      const loss = tf.neg<tf.Scalar>(tf.mean(logProbs))
      return { loss, sums: tf.reshape<tf.Rank.R1>(loss, [1]) }
    })
    tf.dispose([...gradients.values()])
  })
}

describe('a large vocabulary', () => {
  beforeAll(() => useBackend('simd'))
  const bytesOfLogits = (rows: number) => 4 * rows * VOCABULARY
  const bytesOfHead = 4 * VOCABULARY * PLAIN.hidden_size

  test('trains without the logits of all tokens in memory', async () => {
    const { transformer } = tinyTransformer({ ...PLAIN, vocab_size: VOCABULARY })
    // Weights enter the backend's memory on first use.
    await gradientPeak(transformer, 8, false)
    // The embedding has a gradient as a table, one as an output layer, and their sum.
    const peak = await gradientPeak(transformer, 240, false)
    expect(bytesOfLogits(240)).toBeGreaterThan(55 * MEGABYTE)
    expect(peak).toBeLessThan(3 * bytesOfHead + bytesOfLogits(16) + MEGABYTE)
    transformer.dispose()
  })

  test('has no gradient of its size if the embedding is frozen', async () => {
    const { transformer } = tinyTransformer({ ...PLAIN, vocab_size: VOCABULARY })
    transformer.parameters.get('model.embed_tokens.weight')!.trainable = false
    await gradientPeak(transformer, 8, false)
    const peak = await gradientPeak(transformer, 240, false)
    expect(peak).toBeLessThan(bytesOfLogits(16) + MEGABYTE)
    transformer.dispose()
  })

  test('samples the same without the logits of all rows in memory', async () => {
    const { transformer } = tinyTransformer({ ...PLAIN, vocab_size: VOCABULARY })
    const generator = () => new Generator(transformer, () => '', { cacheSlots: 4096, prefillTokens: 2048 })
    const uniform = randomStream(8)
    const requests = Array.from({ length: 150 }, (_, seed) => ({
      prompt: randomTokens(uniform, 3, VOCABULARY),
      count: 1,
      seed,
    }))
    const sampling = { temperature: 1, topP: 1, maxTokens: 2 }
    const together = generator()
    await together.generate(requests.slice(0, 1), sampling)
    let sampled: Awaited<ReturnType<Generator['generate']>> = []
    const peak = await peakOf(async () => {
      sampled = await together.generate(requests, sampling)
    })
    expect(bytesOfLogits(150)).toBeGreaterThan(35 * MEGABYTE)
    expect(peak).toBeLessThan(18 * MEGABYTE)
    const alone = generator()
    for (const index of [0, 68, 69, 70, 149]) {
      const expected = (await alone.generate([requests[index]!], sampling))[0]![0]!
      expect(sampled[index]![0]!.tokens).toEqual(expected.tokens)
      expect(sampled[index]![0]!.logProbs[1]).toBeCloseTo(expected.logProbs[1]!, 4)
    }
    together.forget()
    alone.forget()
    transformer.dispose()
  })
})

describe('the memory budget', () => {
  beforeAll(() => useBackend('simd'))

  test.each([false, true])('knows the bytes of a token in training, activations recomputed: %s', async (recomputes) => {
    const { transformer } = tinyTransformer({
      ...PLAIN,
      hidden_size: 224,
      intermediate_size: 1216,
      num_attention_heads: 14,
      num_hidden_layers: 6,
      head_dim: 16,
    })
    const { microBatchTokens } = defaultBatchSizes(transformer.config, { recomputeActivations: recomputes })
    const bytesPerToken = recomputes ? 4 * 6 * 224 + BYTES_PER_LAYER : 6 * BYTES_PER_LAYER
    expect(microBatchTokens).toBe(Math.min(4096, Math.floor(ACTIVATION_BYTES / bytesPerToken)))
    await gradientPeak(transformer, 10, recomputes)
    const [short, long] = [
      await gradientPeak(transformer, 100, recomputes),
      await gradientPeak(transformer, 300, recomputes),
    ]
    transformer.dispose()
    expect((long - short) / 200 / bytesPerToken).toBeGreaterThan(0.7)
    expect((long - short) / 200 / bytesPerToken).toBeLessThan(1.1)
  })
})

describe('activations', () => {
  beforeAll(() => useBackend('simd'))

  test('that are recomputed take a fraction of the memory in a deep model', async () => {
    const { transformer } = tinyTransformer({ ...PLAIN, num_hidden_layers: 12, intermediate_size: 64 })
    await gradientPeak(transformer, 4, false)
    const kept = await gradientPeak(transformer, 600, false)
    const recomputed = await gradientPeak(transformer, 600, true)
    transformer.dispose()
    expect(recomputed).toBeLessThan(kept / 4)
  })
})

describe('the cache of keys and values', () => {
  beforeAll(() => useBackend('simd'))

  test('leaves its memory to training', async () => {
    const { allocator } = tf.backend() as SimdBackend
    const model = await tinyModel()
    const uniform = randomStream(3)
    const example = {
      prompt: randomTokens(uniform, 100, PLAIN.vocab_size),
      response: randomTokens(uniform, 100, PLAIN.vocab_size),
      oldLogProbs: new Float32Array(100).fill(-3),
      advantage: 1,
    }
    const update = async () => {
      const before = allocator.bytesInUse
      return before + (await peakOf(() => model.update([example], UPDATE_OPTIONS)))
    }
    // Weights and moments enter the backend's memory on first use.
    await update()
    const idle = allocator.bytesInUse
    const peak = await update()
    const prompt = randomTokens(uniform, 100, PLAIN.vocab_size)
    await model.generate([{ prompt, count: 1, seed: 1 }], { temperature: 1, topP: 1, maxTokens: 2 })
    expect(allocator.bytesInUse).toBeGreaterThan(idle)
    expect(await update()).toBe(peak)
    expect(allocator.bytesInUse).toBe(idle)
    await model.dispose()
  })
})
