import { describe, expect, test } from 'vitest'
import { tinyModel, useBackend } from '../tiny-model.ts'

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
})
