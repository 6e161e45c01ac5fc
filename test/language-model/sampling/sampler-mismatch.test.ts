import * as tf from '@tensorflow/tfjs-core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomStream } from '../../../src/language-model/sampling/random-stream.ts'
import { importanceWeights, mismatchSum } from '../../../src/language-model/sampling/sampler-mismatch.ts'
import { Trainer } from '../../../src/language-model/training/trainer.ts'
import type { TrainingExample, UpdateMetrics, UpdateOptions } from '../../../src/method/ports.ts'
import { logSoftmax, naiveLogits } from '../naive-transformer.ts'
import { BACKENDS, randomTokens, tinyTransformer, useBackend } from '../tiny-model.ts'
import { UPDATE_OPTIONS } from '../update-options.ts'

const TRAINER = Float32Array.of(-1, -2, -0.5, -4)
const SAMPLER = Float32Array.of(-1.5, -1, -0.5, -1)

describe('the difference of two programs', () => {
  test('gives weights that are truncated above', () => {
    const expected = [1.2, Math.exp(-1), 1, Math.exp(-3)]
    importanceWeights(TRAINER, SAMPLER, 1.2).forEach((weight, i) => expect(weight).toBeCloseTo(expected[i]!, 6))
    expect(importanceWeights(TRAINER, SAMPLER, 100)[0]).toBeCloseTo(Math.exp(0.5), 6)
  })

  test('keeps its precision when it is small', () => {
    const exact = Math.exp(0.5) - 1.5 + Math.exp(-1) + (Math.exp(-3) + 2)
    expect(mismatchSum(TRAINER, SAMPLER)).toBeCloseTo(exact, 6)
    const close = Float32Array.of(-1 + 2 ** -20)
    expect(mismatchSum(close, Float32Array.of(-1)) / 2 ** -41).toBeCloseTo(1, 4)
  })

  test('stays finite and above zero, whatever the log-probabilities', () => {
    const logProb = fc.double({ min: -1e30, max: 0, noNaN: true })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(logProb, logProb), { minLength: 1 }),
        fc.double({ min: 0.5, max: 100, noNaN: true }),
        (d, cap) => {
          const [trainer, sampler] = [0, 1].map((side) => Float32Array.from(d, (pair) => pair[side]!)) as [
            Float32Array,
            Float32Array,
          ]
          const sum = mismatchSum(trainer, sampler)
          expect(Number.isFinite(sum) && sum >= 0).toBe(true)
          for (const weight of importanceWeights(trainer, sampler, cap)) {
            expect(weight).toBeGreaterThan(0)
            expect(weight).toBeLessThanOrEqual(Math.fround(cap))
          }
        },
      ),
    )
  })

  test('averages to the divergence of the two over the sampler’s tokens', () => {
    const uniform = randomStream(3)
    const [p, q] = [1, 2].map(() => logSoftmax(Array.from({ length: 6 }, () => 2 * uniform())))
    const divergence = p!.reduce((sum, logP, i) => sum + Math.exp(logP) * (logP - q![i]!), 0)
    const expected = p!.reduce(
      (sum, logP, i) => sum + Math.exp(logP) * mismatchSum(Float32Array.of(q![i]!), Float32Array.of(logP)),
      0,
    )
    expect(expected).toBeCloseTo(divergence, 6)
  })
})

const OPTIONS: UpdateOptions = {
  ...UPDATE_OPTIONS,
  klCoefficient: 0,
  temperature: 0.8,
  updatesPerIteration: 1,
  maxGradNorm: 1000,
}

/** Responses, of one token by default, from a sampler that differs from the model. */
function examplesOf(seed: number, length = 1): TrainingExample[] {
  const uniform = randomStream(seed)
  return Array.from({ length: 6 }, () => ({
    prompt: randomTokens(uniform, 5),
    response: randomTokens(uniform, length),
    advantage: 2 * uniform() - 1,
    oldLogProbs: Float32Array.from({ length }, () => -3 - 2 * uniform()),
  }))
}

interface Trained {
  metrics: UpdateMetrics
  weights: Map<string, number[]>
}

async function train(examples: TrainingExample[], options: Partial<UpdateOptions>): Promise<Trained> {
  const { transformer } = tinyTransformer()
  const trainer = new Trainer(transformer, 4096)
  const metrics = await trainer.update(examples, { ...OPTIONS, ...options })
  const weights = new Map(
    Array.from(transformer.parameters, ([name, variable]) => [name, [...variable.dataSync<'float32'>()]]),
  )
  trainer.dispose()
  transformer.dispose()
  return { metrics, weights }
}

function expectClose(ours: Trained, theirs: Trained): void {
  for (const [name, values] of ours.weights)
    values.forEach((value, i) => expect(Math.abs(value - theirs.weights.get(name)![i]!), name).toBeLessThan(2e-5))
}

describe.each(BACKENDS)('an update on another program’s samples, on %s', (backend) => {
  test('knows the trainer’s own log-probabilities of the tokens', async () => {
    await useBackend(backend)
    const { transformer, weights } = tinyTransformer()
    const examples = examplesOf(1, 4)
    const tensors = tf.memory().numTensors
    const [small, large] = [new Trainer(transformer, 8), new Trainer(transformer, 4096)]
    const own = [await small.logProbs(examples, 0.8), await large.logProbs(examples, 0.8)]
    expect(tf.memory().numTensors).toBe(tensors)
    const { config } = transformer
    transformer.dispose()
    let mismatch = 0
    for (const [e, { prompt, response, oldLogProbs }] of examples.entries()) {
      const logits = naiveLogits(config, weights, [...prompt, ...response])
      const exact = Array.from(
        response,
        (token, t) => logSoftmax(logits[prompt.length + t - 1]!.map((z) => z / 0.8))[token]!,
      )
      for (const logProbs of own) exact.forEach((value, t) => expect(logProbs[e]![t]).toBeCloseTo(value, 4))
      exact.forEach((value, t) => {
        const d = value - oldLogProbs[t]!
        mismatch += (Math.exp(d) - 1 - d) / 24
      })
    }
    const { metrics } = await train(examples, { sampledElsewhere: true })
    expect(metrics.mismatch_kl).toBeCloseTo(mismatch, 4)
  })

  test('takes its ratios against them in all its steps', async () => {
    await useBackend(backend)
    const examples = examplesOf(2, 3)
    const { transformer } = tinyTransformer()
    const own = await new Trainer(transformer, 4096).logProbs(examples, 0.8)
    transformer.dispose()
    const replaced = examples.map((example, i) => ({ ...example, oldLogProbs: own[i]! }))
    const options = { updatesPerIteration: 2, klCoefficient: 0.1 }
    const corrected = await train(examples, { ...options, sampledElsewhere: true })
    const direct = await train(replaced, options)
    expect(corrected.weights).toEqual(direct.weights)
    const { mismatch_kl: mismatch, ...others } = corrected.metrics
    expect(others).toEqual(direct.metrics)
    expect(mismatch).toBeGreaterThan(0.01)
    const once = await train(examples, { sampledElsewhere: true })
    expect(Math.abs(once.metrics.ppo_kl)).toBeLessThan(1e-5)
    expect(once.metrics.pg_clipfrac).toBe(0)
    expect(Math.abs((await train(examples, {})).metrics.ppo_kl)).toBeGreaterThan(0.1)
  })

  test('weights tokens up to the cap, as if their advantages were larger', async () => {
    await useBackend(backend)
    const examples = examplesOf(3)
    const { transformer } = tinyTransformer()
    const own = await new Trainer(transformer, 4096).logProbs(examples, 0.8)
    transformer.dispose()
    const ratios = examples.map(({ oldLogProbs }, i) => Math.exp(own[i]![0]! - oldLogProbs[0]!))
    const cap = [...ratios].sort((a, b) => a - b)[3]!
    const scaled = examples.map((example, i) => ({
      ...example,
      oldLogProbs: own[i]!,
      advantage: Math.min(cap, ratios[i]!) * example.advantage,
    }))
    const weighted = await train(examples, { sampledElsewhere: true, importanceCap: cap })
    expectClose(weighted, await train(scaled, {}))
    expect(weighted.weights).not.toEqual((await train(examples, { sampledElsewhere: true })).weights)
  })

  test('does not depend on the cap if the model itself sampled', async () => {
    await useBackend(backend)
    const examples = examplesOf(4, 2)
    const plain = await train(examples, {})
    const capped = await train(examples, { importanceCap: 2 })
    expect(capped).toEqual(plain)
    expect(plain.metrics).not.toHaveProperty('mismatch_kl')
  })
})
