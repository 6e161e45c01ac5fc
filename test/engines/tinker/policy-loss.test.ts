import * as tf from '@tensorflow/tfjs-core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  datum,
  exampleWeights,
  ofResponse,
  tokenTerms,
  undoReduction,
} from '../../../src/engines/tinker/policy-loss.ts'
import { selectBackend } from '../../../src/language-model/backends/select-backend.ts'
import '../../../src/language-model/ops/stock-gradients.ts'
import { policyLoss } from '../../../src/language-model/training/loss.ts'
import type { TrainingExample, UpdateOptions } from '../../../src/method/ports.ts'
import { KL_ESTIMATORS, LOSS_AGGREGATIONS } from '../../../src/method/settings.ts'

/** Multiples of 1/64, which float32 represents exactly. */
const real = (low: number, high: number) =>
  fc.integer({ min: Math.ceil(low * 64), max: Math.floor(high * 64) }).map((steps) => steps / 64)
const token = fc.record({ logProb: real(-8, -0.01), oldLogProb: real(-8, -0.01), advantage: real(-2, 2), weight: real(0.01, 1), importance: real(0, 2) }) // prettier-ignore
const options = fc.record({ clipRatioLow: real(0.05, 0.5), clipRatioHigh: real(0.05, 0.5), klCoefficient: real(0, 0.5), klEstimator: fc.constantFrom(...KL_ESTIMATORS) }) // prettier-ignore

it('has the value and the gradient of our own trainer’s loss', async () => {
  await selectBackend('cpu')
  fc.assert(
    fc.property(fc.array(token, { minLength: 1, maxLength: 6 }), options, (tokens, chosen) => {
      const entries = {
        oldLogProbs: Float32Array.from(tokens, (one) => one.oldLogProb),
        advantages: Float32Array.from(tokens, (one) => one.advantage),
        weights: Float32Array.from(tokens, (one) => one.weight),
        importance: Float32Array.from(tokens, (one) => one.importance),
      }
      const logProbs = tf.tensor1d(tokens.map((one) => one.logProb))
      const gradient = tf
        .grad((x) => policyLoss(x as tf.Tensor1D, entries, chosen).loss)(logProbs)
        .dataSync()
      const [pg, kl, , clipped] = policyLoss(logProbs, entries, chosen).sums.dataSync()
      const terms = tokens.map((one) => tokenTerms(one.logProb, one, chosen as UpdateOptions))
      const sum = (pick: (term: (typeof terms)[number]) => number) =>
        terms.reduce((total, term) => total + pick(term), 0)
      const close = (ours: number, theirs: number) =>
        expect(Math.abs(ours - theirs)).toBeLessThan(1e-4 * (1 + Math.abs(theirs)))
      terms.forEach((term, index) => close(-term.coefficient, gradient[index]!))
      close(
        sum((term) => term.policyGradient),
        pg!,
      )
      close(
        sum((term) => term.divergence),
        kl!,
      )
      expect(sum((term) => (term.isClipped ? 1 : 0))).toBe(clipped)
    }),
  )
})

const example = (prompt: number, response: number): TrainingExample => ({
  prompt: new Int32Array(prompt).fill(1),
  response: new Int32Array(response).fill(2),
  oldLogProbs: new Float32Array(response),
  advantage: 1,
})

it('undoes a server’s means for any lengths, so that every aggregation has its weights', () => {
  const lengths = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })), { minLength: 1 })
  fc.assert(
    fc.property(lengths, fc.constantFrom(...LOSS_AGGREGATIONS), (sizes, lossAggregation) => {
      const examples = sizes.map(([prompt, response]) => example(prompt, response))
      const weights = exampleWeights(examples, { lossAggregation })
      examples.forEach((one, index) => {
        // SkyRL: mean over the examples of the mean over all target positions.
        const server = 1 / examples.length / (one.prompt.length + one.response.length - 1)
        expect(weights[index]! * undoReduction(one, examples.length, 'mean-of-examples') * server).toBeCloseTo(
          weights[index]!,
          10,
        )
        expect(undoReduction(one, examples.length, 'sum')).toBe(1)
      })
    }),
  )
})

it('puts the values of a token where it is predicted', () => {
  const built = datum({ prompt: Int32Array.of(5, 6, 7), response: Int32Array.of(8, 9) }, [-1, -2], [0.5, 0.25])
  expect(built).toEqual({
    model_input: { chunks: [{ type: 'encoded_text', tokens: [5, 6, 7, 8] }] },
    loss_fn_inputs: {
      target_tokens: { data: [6, 7, 8, 9], dtype: 'int64', shape: [4] },
      logprobs: { data: [0, 0, -1, -2], dtype: 'float32', shape: [4] },
      advantages: { data: [0, 0, 0.5, 0.25], dtype: 'float32', shape: [4] },
    },
  })
  expect(Array.from(ofResponse([-9, -9, -1, -2], example(3, 2))!)).toEqual([-1, -2])
  expect(ofResponse([-1, -2], example(3, 2))).toBeNull()
})
