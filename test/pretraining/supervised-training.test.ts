import { afterAll, describe, expect, it } from 'vitest'
import { LanguageModel } from '../../src/language-model/language-model.ts'
import { configJson } from '../../src/pretraining/model-shape.ts'
import { policyPieces } from '../../src/pretraining/household/corpus.ts'
import { POLICY } from '../../src/pretraining/household/recipes.ts'
import { householdTokenizer } from '../../src/pretraining/household/tokenizer.ts'
import { learningRateAt, trainOnDemonstrations } from '../../src/pretraining/supervised-training.ts'
import { END_OF_RESPONSE } from '../../src/pretraining/vocabulary.ts'

describe('the learning rate of pretraining', () => {
  it('warms up to its peak and decays to a tenth of it', () => {
    expect(learningRateAt(0, 1)).toBe(0)
    expect(learningRateAt(0.05, 1)).toBeCloseTo(1)
    expect(learningRateAt(1, 1)).toBeCloseTo(0.1)
    expect(learningRateAt(0.3, 1)).toBeGreaterThan(learningRateAt(0.6, 1))
  })
})

describe('training on demonstrations', () => {
  const tokenizer = householdTokenizer([])
  const { vocab } = tokenizer.model
  const shape = {
    hidden_size: 32,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    intermediate_size: 48,
  }
  const config = configJson(shape, Object.keys(vocab).length, vocab[END_OF_RESPONSE]!)
  const models: LanguageModel[] = []
  afterAll(() => Promise.all(models.map((model) => model.dispose())))

  const losses = async (seed: number) => {
    const model = await LanguageModel.fresh(config, tokenizer, seed, 'cpu')
    models.push(model)
    const plan = { steps: 32, episodesPerStep: 2, peakLearningRate: 1e-2, weightDecay: 0 }
    const pieces = (index: number) => policyPieces({ ...POLICY.corpus, maxSteps: 10, hints: 0 }, 0, index)
    const reports: number[] = []
    for await (const { loss } of trainOnDemonstrations(model, pieces, plan, 4)) reports.push(loss)
    return reports
  }

  it('lowers the loss, to the same numbers for the same seed', async () => {
    const first = await losses(1)
    expect(first).toHaveLength(8)
    expect(first.at(-1)).toBeLessThan(0.8 * first[0]!)
    expect(await losses(1)).toEqual(first)
  })

  it('reports the mean of the steps since the last report, also of fewer at the end', async () => {
    const fit = () => Promise.resolve({ loss: 2, trainedTokens: 1 })
    const model = { tokenizer: { encode: () => [0] }, fit } as unknown as LanguageModel
    const plan = { steps: 10, episodesPerStep: 1, peakLearningRate: 1, weightDecay: 0 }
    const reports: [number, number][] = []
    for await (const { step, loss } of trainOnDemonstrations(model, () => [], plan, 4)) reports.push([step, loss])
    expect(reports).toEqual([[4, 2], [8, 2], [10, 2]]) // prettier-ignore
  })
})
