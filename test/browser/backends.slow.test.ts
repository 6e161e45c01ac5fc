/** The CPU backend as a browser runs it: WebAssembly with relaxed SIMD, which Node keeps behind a flag. */
import { describe, expect, it } from 'vitest'
import { useLanguageModels } from './language-models.ts'

const CONFIG = {
  model_type: 'llama',
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 48,
  vocab_size: 64,
  tie_word_embeddings: true,
  max_position_embeddings: 128,
  eos_token_id: 1,
}

describe('the cpu backend in a browser', () => {
  const open = useLanguageModels()

  it('computes with relaxed SIMD', async () => {
    const { on } = await open()
    expect(await on('cpu').select('cpu')).toEqual({
      name: 'cpu',
      description: 'WebAssembly, relaxed SIMD with fused multiply-add, one thread',
    })
  })

  it('memorises three sentences, reproduces them, and leaks no tensors', async () => {
    const { on, errors } = await open()
    const model = on('cpu')
    await model.select('cpu')
    await model.open(CONFIG, 1)
    const sentences = [
      [2, 9, 33, 17, 60, 1],
      [3, 21, 8, 40, 1],
      [4, 21, 13, 5, 62, 30, 1],
    ].map((tokens) => ({ prompt: Int32Array.from(tokens.slice(0, 1)), response: Int32Array.from(tokens.slice(1)) }))
    let loss = await model.fit(sentences, { learningRate: 0.02 })
    const { tensors } = await model.memory()
    for (let step = 0; step < 40; step++) loss = await model.fit(sentences, { learningRate: 0.02 })
    expect(loss).toBeLessThan(0.05)
    expect(await model.memory()).toMatchObject({ tensors })

    const said = await model.generate(
      sentences.map(({ prompt }) => ({ prompt, count: 1, seed: 1 })),
      { temperature: 0, topP: 1, maxTokens: 10 },
    )
    expect(said.map(([completion]) => completion!.tokens)).toEqual(sentences.map(({ response }) => response))
    expect(said.flat().every(({ finishReason }) => finishReason === 'stop')).toBe(true)
    expect(errors).toEqual([])
  })

  it('is recommended to browsers without a graphics adapter', async ({ skip }) => {
    const { page, on } = await open()
    const hasAdapter = await page.evaluate(async () =>
      Boolean(await (navigator.gpu as GPU | undefined)?.requestAdapter()),
    )
    skip(hasAdapter, 'This browser has a graphics adapter.')
    await expect(on('webgpu').select('webgpu')).rejects.toThrow(/choose the CPU/)
  })
})
