import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MEASURED_MODELS, TINY_MODEL } from '../../../src/bench/gpu/model-sizes.ts'
import { randomModel } from '../../../src/bench/gpu/random-model.ts'
import { parseModelConfig } from '../../../src/language-model/files/config.ts'
import { LanguageModel } from '../../../src/language-model/language-model.ts'
import { parameterShapes } from '../../../src/language-model/weights/parameters.ts'
import { streamWeights } from '../../../src/language-model/weights/weights.ts'

const tokenizer = readFileSync(new URL('../../../public/models/household-policy/tokenizer.json', import.meta.url))

describe('a random model', () => {
  const config = parseModelConfig(TINY_MODEL.configJson, 'the tiny model')

  it('has every parameter of its shape, with norms of 1 and matrices of the given deviation', async () => {
    const weights = new Map<string, Float32Array>()
    for await (const [name, values] of streamWeights(randomModel(TINY_MODEL.configJson!, tokenizer, 0.1), config))
      weights.set(name, values.slice())
    for (const { name, shape } of parameterShapes(config)) {
      const values = weights.get(name)!
      expect(values.length).toBe(shape.reduce((product, side) => product * side, 1))
      const square = values.reduce((sum, value) => sum + value ** 2, 0) / values.length
      if (name.endsWith('norm.weight')) expect(values.every((value) => value === 1)).toBe(true)
      else expect(Math.sqrt(square)).toBeCloseTo(0.1, 2)
    }
  })

  it('samples and learns through adapters', async () => {
    const model = await LanguageModel.load(randomModel(TINY_MODEL.configJson!, tokenizer), 'cpu', {
      storage: 'four-bit',
    })
    await model.attachAdapters({ rank: 2, alpha: 4, dropout: 0, targets: ['q_proj'] }, 1)
    const completions = await model.generate([{ prompt: Int32Array.of(3, 4), count: 1, seed: 1 }], {
      temperature: 1,
      topP: 1,
      maxTokens: 3,
    })
    expect(completions[0]![0]!.tokens.length).toBeGreaterThan(0)
    const { loss } = await model.fit([{ prompt: Int32Array.of(3), response: Int32Array.of(4, 5) }], {
      learningRate: 1e-3,
    })
    expect(loss).toBeGreaterThan(0)
    await model.dispose()
  })

  it('comes in the sizes that are measured', () => {
    const millions = MEASURED_MODELS.flatMap(({ configJson, name }) => {
      if (configJson === null) return []
      const shapes = parameterShapes(parseModelConfig(configJson, name))
      return [shapes.reduce((sum, { shape }) => sum + shape.reduce((product, side) => product * side, 1), 0) / 1e6]
    })
    expect(millions.map((size) => Number(size.toPrecision(2)))).toEqual([9.8, 130, 490])
  })
})
