import * as tf from '@tensorflow/tfjs-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TrainingExample } from '../../../src/method/ports.ts'
import type { KlEstimator, LossAggregation } from '../../../src/method/settings.ts'
import { aggregationWeights, policyLoss, TOKEN_SUM_NORM } from '../../../src/language-model/training/loss.ts'
import { packMicroBatches, splitIntoUpdates } from '../../../src/language-model/training/packing.ts'
import { randomStream } from '../../../src/language-model/sampling/random-stream.ts'
import { Trainer } from '../../../src/language-model/training/trainer.ts'
import type { Transformer } from '../../../src/language-model/transformer.ts'
import { logSoftmax, naiveLogits } from '../naive-transformer.ts'
import { BACKENDS, PLAIN, randomTokens, tinyTransformer, useBackend } from '../tiny-model.ts'

const CLIP = { clipRatioLow: 0.2, clipRatioHigh: 0.2, klCoefficient: 0.01, klEstimator: 'k3' } as const

describe('policy loss', () => {
  beforeAll(() => useBackend('cpu'))

  const released = (advantage: number, klEstimator: KlEstimator = 'k3', importance?: Float32Array) =>
    tf.tidy(() => {
      const entries = {
        oldLogProbs: Float32Array.of(-1, -2, -0.5),
        advantages: new Float32Array(3).fill(advantage),
        weights: new Float32Array(3).fill(1 / 3),
        ...(importance && { importance }),
      }
      const { loss, sums } = policyLoss(tf.tensor1d([-0.7, -2.3, -0.5]), entries, { ...CLIP, klEstimator })
      const [policyGradient, divergence, klSum, clipped] = sums.arraySync() as [number, number, number, number]
      return { loss: loss.arraySync(), policyGradient, divergence, klSum, clipped }
    })

  test("has the released trainer's values", () => {
    const good = released(1)
    expect(good.policyGradient).toBeCloseTo(-0.980273, 5)
    expect(0.01 * good.divergence).toBeCloseTo(0.000302, 6)
    expect(good.loss).toBeCloseTo(-0.980273 + 0.000302, 5)
    expect(good.clipped).toBe(1)
    const bad = released(-1)
    expect(bad.policyGradient).toBeCloseTo(1.049953, 5)
    expect(bad.loss).toBeCloseTo(1.049953 + 0.000302, 5)
    expect(bad.klSum).toBeCloseTo(0, 5)
  })

  test('has three estimators of the divergence', () => {
    expect(released(1, 'k1').divergence).toBeCloseTo(0, 6)
    expect(released(1, 'k2').divergence).toBeCloseTo((0.045 + 0.045) / 3, 6)
  })

  test('weights only the surrogate of each token by its importance', () => {
    const plain = released(1)
    const weighted = released(1, 'k3', Float32Array.of(1.5, 0.25, 1))
    expect(weighted.policyGradient).toBeCloseTo(-(1.5 * 1.2 + 0.25 * Math.exp(-0.3) + 1) / 3, 5)
    expect({ ...weighted, loss: 0, policyGradient: 0 }).toEqual({ ...plain, loss: 0, policyGradient: 0 })
    expect(released(-1, 'k3', new Float32Array(3).fill(1))).toEqual(released(-1))
  })

  test('stays finite if the policies are far apart', () => {
    const far = tf.tidy(() =>
      policyLoss(
        tf.tensor1d([-200, -1]),
        {
          oldLogProbs: Float32Array.of(-1, -200),
          advantages: Float32Array.of(-1, -1),
          weights: Float32Array.of(0.5, 0.5),
        },
        CLIP,
      ).loss.arraySync(),
    )
    expect(far).toBeCloseTo((0.8 + Math.exp(10)) / 2 + 0.005 * (Math.exp(10) - 11 + Math.exp(-10) + 9), 0)
  })

  test.each<[LossAggregation, (losses: number[][]) => number]>([
    ['token-mean', (losses) => mean(losses.flat())],
    ['seq-mean-token-mean', (losses) => mean(losses.filter((l) => l.length > 0).map(mean))],
    ['seq-mean-token-sum', (losses) => mean(losses.filter((l) => l.length > 0).map(sum))],
    ['seq-mean-token-sum-norm', (losses) => mean(losses.filter((l) => l.length > 0).map(sum)) / TOKEN_SUM_NORM],
  ])('aggregates as %s', (aggregation, expected) => {
    const losses = [[1, 2, 3], [10], [], [4, 4, 4, 4, -8]]
    const weights = aggregationWeights(
      losses.map((l) => l.length),
      aggregation,
    )
    expect(sum(losses.flatMap((l, i) => l.map((value) => value * weights[i]!)))).toBeCloseTo(expected(losses), 10)
  })
})

/** Two trajectories that grow by appending, one with three evaluations of each step, and an unrelated example. */
function forest(seed: number): TrainingExample[] {
  const uniform = randomStream(seed)
  const example = (prompt: Int32Array, length: number): TrainingExample => ({
    prompt,
    response: randomTokens(uniform, length),
    advantage: uniform() * 2 - 1,
    oldLogProbs: Float32Array.from({ length }, () => -2 - 2 * uniform()),
  })
  const examples: TrainingExample[] = []
  const opening = randomTokens(uniform, 9)
  for (const evaluations of [1, 3]) {
    let prompt = Int32Array.from([...opening, ...randomTokens(uniform, 2)])
    for (let step = 0; step < 3; step++) {
      for (let j = 0; j < evaluations; j++) examples.push(example(prompt, 1 + Math.floor(uniform() * 5)))
      prompt = Int32Array.from([...prompt, ...examples[examples.length - 1]!.response, ...randomTokens(uniform, 3)])
    }
  }
  return [...examples, { ...examples[2]! }, example(randomTokens(uniform, 5), 4)]
}

async function lossAndGradients(
  transformer: Transformer,
  examples: readonly TrainingExample[],
  microBatchTokens: number,
  importanceOf?: (example: number, offset: number) => number,
): Promise<{ loss: number; gradients: Map<string, Float32Array>; trainedTokens: number }> {
  const trainer = new Trainer(transformer, microBatchTokens)
  const weights = aggregationWeights(
    examples.map(({ response }) => response.length),
    'seq-mean-token-mean',
  )
  const { gradients, sums, trainedTokens } = await trainer.gradients(examples, 0.8, (logProbs, _, micro) => {
    const pick = (value: (example: number, offset: number) => number) =>
      Float32Array.from(micro.example, (e, i) => value(e, micro.offset[i]!))
    const { loss } = policyLoss(
      logProbs,
      {
        oldLogProbs: pick((e, t) => examples[e]!.oldLogProbs[t]!),
        advantages: pick((e) => examples[e]!.advantage),
        weights: pick((e) => weights[e]!),
        ...(importanceOf && { importance: pick(importanceOf) }),
      },
      { ...CLIP, klCoefficient: 0.3 },
    )
    return { loss, sums: tf.reshape<tf.Rank.R1>(loss, [1]) }
  })
  const values = new Map(
    Array.from(gradients, ([name, gradient]) => [name, gradient.dataSync<'float32'>().slice()] as const),
  )
  tf.dispose([...gradients.values()])
  return { loss: sums[0]!, gradients: values, trainedTokens }
}

describe.each(BACKENDS)('packed training on %s', (backend) => {
  test('has the gradient of running every example separately', async () => {
    await useBackend(backend)
    const { transformer } = tinyTransformer()
    const examples = forest(2)
    const packed = await lossAndGradients(transformer, examples, 4096)
    const split = await lossAndGradients(transformer, examples, 30)
    const alone = await lossAndGradients(transformer, examples, 1)
    transformer.dispose()
    expect(packed.trainedTokens).toBeLessThan(alone.trainedTokens / 3)
    expect(split.trainedTokens).toBeGreaterThan(packed.trainedTokens)
    for (const other of [packed, split]) {
      expect(other.loss).toBeCloseTo(alone.loss, 5)
      for (const [name, values] of alone.gradients) {
        for (const [i, value] of values.entries())
          expect(Math.abs(other.gradients.get(name)![i]! - value), name).toBeLessThan(1e-5)
      }
    }
  })

  test.each([
    ['', () => 1],
    [' with importance weights', (e: number, t: number) => 0.3 + 0.4 * ((3 * e + t) % 5)],
  ])('has the slope of an independent computation of the whole loss%s', async (_name, importance) => {
    await useBackend(backend)
    const { transformer, weights } = tinyTransformer({
      ...PLAIN,
      num_hidden_layers: 1,
      model_type: 'qwen3',
      head_dim: 4,
    })
    const examples = forest(4).slice(0, 5)
    const { loss, gradients } = await lossAndGradients(transformer, examples, 4096, importance)
    transformer.dispose()
    const reference = () =>
      mean(
        examples.map(({ prompt, response, oldLogProbs, advantage }, e) => {
          const logits = naiveLogits(transformer.config, weights, [...prompt, ...response])
          return mean(
            Array.from(response, (token, t) => {
              const logProb = logSoftmax(logits[prompt.length + t - 1]!.map((z) => z / 0.8))[token]!
              const d = logProb - oldLogProbs[t]!
              const ratio = Math.exp(d)
              return (
                -importance(e, t) * Math.min(ratio * advantage, Math.min(1.2, Math.max(0.8, ratio)) * advantage) +
                0.3 * (Math.exp(-d) - 1 + d)
              )
            }),
          )
        }),
      )
    expect(loss).toBeCloseTo(reference(), 4)
    const uniform = randomStream(6)
    for (const [name, values] of weights) {
      const i = Math.floor(uniform() * values.length)
      const original = values[i]!
      const at = (shift: number) => {
        values[i] = original + shift
        return reference()
      }
      const slope = (at(2e-3) - at(-2e-3)) / (Math.fround(original + 2e-3) - Math.fround(original - 2e-3))
      values[i] = original
      expect(Math.abs(gradients.get(name)![i]! - slope), name).toBeLessThan(2e-4 + 2e-3 * Math.abs(slope))
    }
  })
})

describe('packing', () => {
  test('runs a growing trajectory and its evaluations once, and keeps every response token', () => {
    const examples = forest(7)
    for (const limit of [4096, 40, 1]) {
      const batches = packMicroBatches(examples, limit)
      const seen = batches.flatMap(({ example, offset, targets, predictor, outputRows, batch }) =>
        Array.from(targets, (target, e) => {
          const { prompt, response } = examples[example[e]!]!
          expect(target).toBe(response[offset[e]!])
          expect(batch.positions[outputRows[predictor[e]!]!]).toBe(prompt.length + offset[e]! - 1)
          return `${example[e]} ${offset[e]}`
        }),
      )
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen).toHaveLength(sum(examples.map(({ response }) => response.length)))
      const longest = Math.max(...examples.map(({ prompt, response }) => prompt.length + response.length))
      for (const { batch } of batches) expect(batch.tokens.length).toBeLessThanOrEqual(Math.max(limit, longest))
    }
  })

  test('splits into updates of about equal size, in order, between trajectories', () => {
    const trajectory = (first: number) =>
      Array.from({ length: 10 }, (_, step) => ({
        prompt: Int32Array.from({ length: 5 + step }, () => first),
        response: Int32Array.of(1),
      }))
    const examples = [trajectory(1), trajectory(2), trajectory(3).slice(0, 8)].flat()
    expect(splitIntoUpdates(examples, 3).map((run) => run.length)).toEqual([10, 10, 8])
    expect(splitIntoUpdates(examples, 4).flat()).toEqual(examples)
    expect(splitIntoUpdates(examples.slice(0, 2), 5).map((run) => run.length)).toEqual([1, 1])
  })
})

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length
}
