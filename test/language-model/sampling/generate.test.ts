import * as tf from '@tensorflow/tfjs-core'
import { describe, expect, test, vi } from 'vitest'
import type {
  Completion,
  GenerateRequest,
  SamplingOptions,
  TrainingExample,
  UpdateOptions,
} from '../../../src/method/ports.ts'
import { randomStream } from '../../../src/language-model/sampling/random-stream.ts'
import { Transformer } from '../../../src/language-model/transformer.ts'
import { randomTokens, tinyModel, useBackend } from '../tiny-model.ts'
import { UPDATE_OPTIONS } from '../update-options.ts'

const SAMPLING: SamplingOptions = { temperature: 0.9, topP: 1, maxTokens: 12 }
const UPDATE: UpdateOptions = { ...UPDATE_OPTIONS, learningRate: 0, temperature: 0.9, updatesPerIteration: 1 }

function requests(count: number, seed = 5): GenerateRequest[] {
  const uniform = randomStream(seed)
  const shared = randomTokens(uniform, 20, 270)
  return Array.from({ length: count }, (_, i) => {
    const own = randomTokens(uniform, 1 + Math.floor(uniform() * 25), 270)
    // Some begin alike, one is a prefix of another, two are equal.
    const prompt = i === 3 ? shared : i % 2 ? Int32Array.from([...shared, ...own]) : own
    return { prompt, count: 1 + (i % 3), seed: 100 + i }
  }).concat(count > 4 ? [{ prompt: shared, count: 2, seed: 77 }] : [])
}

function examplesOf(
  asked: readonly GenerateRequest[],
  completions: readonly Completion[][],
  advantage = 1,
): TrainingExample[] {
  return asked.flatMap(({ prompt }, i) =>
    completions[i]!.map(({ tokens, logProbs }) => ({ prompt, response: tokens, oldLogProbs: logProbs, advantage })),
  )
}

/** Bit for bit: sampling on several threads must not change a log. */
function expectSame(actual: readonly Completion[][], expected: readonly Completion[][]): void {
  for (const [i, row] of expected.entries()) {
    for (const [j, completion] of row.entries()) {
      expect(actual[i]![j]!.tokens).toEqual(completion.tokens)
      expect(actual[i]![j]!.logProbs).toEqual(completion.logProbs)
      expect(actual[i]![j]!.entropies).toEqual(completion.entropies)
    }
  }
}

describe('sampling', () => {
  const backend = 'simd'

  test('a ragged batch samples the same as its prompts one by one', async () => {
    await useBackend(backend)
    const model = await tinyModel()
    const asked = requests(6)
    const together = await model.generate(asked, SAMPLING)
    const alone: Completion[][] = []
    for (const request of asked) {
      const fresh = await tinyModel()
      alone.push(...(await fresh.generate([request], SAMPLING)))
      await fresh.dispose()
    }
    await model.dispose()
    expectSame(together, alone)
    expect(together.map((row) => row.length)).toEqual(asked.map(({ count }) => count))
  })

  test.each([0, 0.03, 0.1])(
    'completions that agree so far run as one row, and are those sampled alone, at temperature %f',
    async (temperature) => {
      await useBackend(backend)
      const prompt = Int32Array.of(5, 6, 7, 8)
      const asked = Array.from({ length: 12 }, (_, i) => ({ prompt, count: 1, seed: i % 11 }))
      const sampling = { ...SAMPLING, temperature, maxTokens: 40 }
      const model = await tinyModel()
      const hidden = vi.spyOn(Transformer.prototype, 'hidden')
      const together = await model.generate(asked, sampling)
      const run = hidden.mock.calls.reduce((sum, [{ tokens }]) => sum + tokens.length, 0)
      hidden.mockRestore()
      const alone: Completion[][] = []
      for (const request of asked) {
        const fresh = await tinyModel()
        alone.push(...(await fresh.generate([request], sampling)))
        await fresh.dispose()
      }
      expectSame(together, alone)
      // All tokens of a completion but the last are run.
      const beginnings = alone
        .flat()
        .flatMap(({ tokens }) => Array.from(tokens.slice(0, -1), (_, i) => tokens.slice(0, i + 1).join()))
      expect(run).toBe(prompt.length + new Set(beginnings).size)
      expect(run).toBeLessThan(prompt.length + beginnings.length)
      expectSame(await model.generate(asked, sampling), alone)
      await model.dispose()
    },
  )

  test('a small cache, small prefill chunks and earlier calls do not change samples', async () => {
    await useBackend(backend)
    const asked = requests(6)
    const model = await tinyModel()
    const expected = await model.generate(asked, SAMPLING)
    const again = await model.generate(asked, SAMPLING)
    expectSame(again, expected)
    await model.dispose()
    const cramped = await tinyModel({}, 1, { cacheSlots: 70, prefillTokens: 7 })
    for (let round = 0; round < 3; round++) expectSame(await cramped.generate(asked, SAMPLING), expected)
    await cramped.dispose()
  })

  test('a prompt that continues a completion samples as if read from the start', async () => {
    await useBackend(backend)
    const model = await tinyModel()
    const uniform = randomStream(8)
    let asked = requests(4)
    for (let turn = 0; turn < 3; turn++) {
      const sampled = await model.generate(asked, SAMPLING)
      const fresh = await tinyModel()
      expectSame(sampled, await fresh.generate(asked, SAMPLING))
      await fresh.dispose()
      asked = asked.map(({ prompt, seed }, i) => ({
        prompt: Int32Array.from([...prompt, ...sampled[i]![0]!.tokens, ...randomTokens(uniform, 6, 270)]),
        count: 2,
        seed: seed + 1000,
      }))
    }
    await model.dispose()
  })

  test.each([4, 2])(
    'a cached prompt samples as alone beside one that continues it, with %i key heads',
    async (heads) => {
      await useBackend(backend)
      const shape = { num_key_value_heads: heads }
      const long = { prompt: randomTokens(randomStream(6), 31, 270), count: 2, seed: 1 }
      const short = { prompt: long.prompt.slice(0, 20), count: 2, seed: 2 }
      const model = await tinyModel(shape)
      // The next slots stay free, so that both prompts are one segment, in which the short one's last token runs after the long one's.
      await model.generate([short], { ...SAMPLING, maxTokens: 1 })
      const together = await model.generate([long, short], SAMPLING)
      await model.dispose()
      for (const [i, request] of [long, short].entries()) {
        const fresh = await tinyModel(shape)
        expectSame([together[i]!], await fresh.generate([request], SAMPLING))
        await fresh.dispose()
      }
    },
  )

  test('training computes the sampled log-probabilities', async () => {
    await useBackend(backend)
    const model = await tinyModel()
    const asked = requests(6)
    const sampled = await model.generate(asked, SAMPLING)
    const metrics = await model.update(examplesOf(asked, sampled), UPDATE)
    await model.dispose()
    expect(Math.abs(metrics.ppo_kl)).toBeLessThan(1e-5)
    expect(metrics.kl_loss).toBeLessThan(1e-8)
    expect(metrics.pg_loss).toBeCloseTo(-1, 5)
    const entropies = sampled.flat().flatMap(({ entropies }) => Array.from(entropies))
    expect(metrics.entropy).toBeCloseTo(entropies.reduce((sum, value) => sum + value, 0) / entropies.length, 4)
    expect(metrics.trainedTokens).toBeLessThan(
      asked.reduce((sum, { prompt, count }) => sum + count * (prompt.length + 12), 0),
    )
  })

  test('tensors do not pile up over iterations of sampling and training', async () => {
    await useBackend(backend)
    const before = tf.memory().numTensors
    const model = await tinyModel()
    const counts: number[] = []
    for (let iteration = 0; iteration < 4; iteration++) {
      const asked = requests(5, iteration)
      const sampled = await model.generate(asked, SAMPLING)
      await model.update(examplesOf(asked, sampled), { ...UPDATE, learningRate: 1e-3, updatesPerIteration: 2 })
      await model.fit(
        asked.map(({ prompt }) => ({ prompt, response: prompt })),
        { learningRate: 1e-3 },
      )
      counts.push(tf.memory().numTensors)
    }
    await model.dispose()
    expect(new Set(counts).size).toBe(1)
    expect(tf.memory().numTensors).toBe(before)
  })

  test('an abort ends sampling with its reason, and the model can sample again', async () => {
    await useBackend(backend)
    const model = await tinyModel({ max_position_embeddings: 4096 })
    const asked = requests(5)
    const expected = await model.generate(asked, SAMPLING)
    const controller = new AbortController()
    const reason = new Error('enough')
    setTimeout(() => controller.abort(reason), 30)
    // 240 tokens may be sampled before the abort.
    await expect(model.generate(asked, { ...SAMPLING, maxTokens: 3000 }, controller.signal)).rejects.toBe(reason)
    expectSame(await model.generate(asked, SAMPLING), expected)
    await model.dispose()
  })

  test('a completion ends at a stop token, whose text is omitted', async () => {
    await useBackend(backend)
    const model = await tinyModel({ eos_token_id: Array.from({ length: 135 }, (_, i) => 2 * i) })
    const [completions] = await model.generate([{ prompt: Int32Array.of(5, 6, 7), count: 30, seed: 1 }], SAMPLING)
    await model.dispose()
    for (const { tokens, finishReason, text } of completions!) {
      const isStopped = tokens[tokens.length - 1]! % 2 === 0
      expect(finishReason).toBe(isStopped ? 'stop' : 'length')
      expect(text).toBe(model.tokenizer.decode(isStopped ? tokens.slice(0, -1) : tokens))
      expect(tokens.slice(0, -1).every((token) => token % 2 === 1)).toBe(true)
    }
  })

  test('prompts that are empty or exceed the context are refused', async () => {
    await useBackend(backend)
    const model = await tinyModel()
    await expect(model.generate([{ prompt: new Int32Array(0), count: 1, seed: 1 }], SAMPLING)).rejects.toThrow('empty')
    await expect(model.generate([{ prompt: new Int32Array(256), count: 1, seed: 1 }], SAMPLING)).rejects.toThrow(
      'reads at most 255',
    )
    const [[last]] = (await model.generate([{ prompt: new Int32Array(250), count: 1, seed: 1 }], SAMPLING)) as [
      [Completion],
    ]
    await model.dispose()
    expect(last.tokens.length).toBeLessThanOrEqual(6)
  })
})
