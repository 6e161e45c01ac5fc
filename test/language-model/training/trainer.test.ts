import { describe, expect, test } from 'vitest'
import { randomStream } from '../../../src/language-model/sampling/random-stream.ts'
import { randomTokens, tinyModel, useBackend } from '../tiny-model.ts'
import { UPDATE_OPTIONS } from '../update-options.ts'

describe('training', () => {
  test('a tiny model learns four sentences by heart', async () => {
    await useBackend('simd')
    const model = await tinyModel({ hidden_size: 32, intermediate_size: 64 })
    const pairs = [
      ['go to the desk', ' 1\n'],
      ['take the', ' drawer'],
      ['go to the drawer', ' 2\n'],
      ['12', '345 = x'],
    ] as const
    const examples = pairs.map(([prompt, response]) => ({
      prompt: model.tokenizer.encode(prompt),
      response: Int32Array.from([...model.tokenizer.encode(response), 1]),
    }))
    let loss = Infinity
    for (let step = 0; step < 60; step++) loss = (await model.fit(examples, { learningRate: 0.01 })).loss
    const sampled = await model.generate(
      examples.map(({ prompt }) => ({ prompt, count: 1, seed: 1 })),
      { temperature: 0.1, topP: 1, maxTokens: 10 },
    )
    await model.dispose()
    expect(loss).toBeLessThan(0.05)
    expect(sampled.map(([completion]) => completion!.text)).toEqual(pairs.map(([, response]) => response))
  })

  test('ends at once when it is stopped while others still compute their gradients', async () => {
    await useBackend('simd')
    const model = await tinyModel({}, 1, { microBatchTokens: 40 })
    const uniform = randomStream(4)
    const examples = Array.from({ length: 8 }, () => ({
      prompt: randomTokens(uniform, 12, 270),
      response: randomTokens(uniform, 10, 270),
      oldLogProbs: new Float32Array(10).fill(-5),
      advantage: 1,
    }))
    const stop = new AbortController()
    const helpers = {
      count: 1,
      gradients: () => {
        setTimeout(() => stop.abort(), 50)
        return new Promise<never>(() => {})
      },
    }
    await expect(model.update(examples, UPDATE_OPTIONS, stop.signal, helpers)).rejects.toThrow(/abort/i)
    await model.dispose()
  })
})
