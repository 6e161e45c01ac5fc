import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { benchModel, REFERENCE_SHAPE } from '../../src/bench/bench-model.ts'
import {
  adapterTrainingWork,
  causalPairs,
  generationWork,
  matrixEntries,
  trainingWork,
} from '../../src/bench/useful-work.ts'

const length = fc.integer({ min: 1, max: 40 })
const { config, parameters } = benchModel(REFERENCE_SHAPE)

describe('useful work', () => {
  it('multiplies a token with every weight except the norms', () => {
    for (const keyValueHeads of [4, 2, 1]) {
      const { config: grouped, weights } = benchModel({ ...REFERENCE_SHAPE, keyValueHeads })
      const inMatrices = [...weights].filter(([name]) => !name.endsWith('norm.weight'))
      expect(matrixEntries(grouped)).toBe(inMatrices.reduce((sum, [, { length: size }]) => sum + size, 0))
    }
  })

  it('counts each visible pair of a query and a key once', () => {
    fc.assert(
      fc.property(length, length, (tokens, before) => {
        let pairs = 0
        for (let query = 0; query < tokens; query++) {
          for (let key = 0; key < before + tokens; key++) if (key <= before + query) pairs++
        }
        expect(causalPairs(tokens, before)).toBe(pairs)
      }),
    )
  })

  it('counts training as three forward passes, of 2 N a token and half of the attention matrix', () => {
    expect(parameters).toBe(935_040)
    const matrices = 3 * 2 * parameters * 16 * 256
    const attention = (3 * 4 * 256 * 256 * 128 * 4 * 16) / 2
    expect(trainingWork(config, 16, 256) / (matrices + attention)).toBeCloseTo(1, 2)
  })

  it('counts sampling like reading the tokens, less the output layer where nothing is sampled', () => {
    fc.assert(
      fc.property(length, length, (prompt, sampled) => {
        const forward = trainingWork(config, 1, prompt + sampled - 1) / 3
        const notDrawnFrom = 2 * (prompt - 1) * config.hiddenSize * config.vocabularySize
        expect(generationWork(config, 1, prompt, sampled)).toBe(forward - notDrawnFrom)
      }),
    )
  })

  it('leaves out the gradients of frozen weights, a third of the work of their products', () => {
    const weightGradients = 2 * matrixEntries(config) * 3 * 20
    expect(trainingWork(config, 3, 20) - adapterTrainingWork(config, 3, 20)).toBe(weightGradients)
  })
})
