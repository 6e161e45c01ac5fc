import * as tf from '@tensorflow/tfjs-core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { registerBackends, selectBackend } from '../../../src/language-model/backends/select-backend.ts'
import {
  adamw,
  attention,
  clipScale,
  gatherRows,
  globalNorm,
  kvWrite,
  linear,
  rmsNorm,
  rope,
  selectedLogProbs,
  swiglu,
} from '../../../src/language-model/ops/index.ts'
import { type Forest, reversed, samplingForest, trainingForest } from './forest.ts'
import { expectClose, expectSameOnBothBackends, matrix } from './on-both-backends.ts'

beforeAll(async () => {
  registerBackends()
  await selectBackend('cpu')
})

const seed = fc.integer({ min: 1, max: 1e6 })
/** One, odd, around a vector of four, and larger than a tile. */
const size = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 70 }))
const few = { numRuns: 20 }

describe('a fused kernel equals the composition of stock operations, forward and backward', () => {
  it('linear, with and without bias', () =>
    fc.assert(
      fc.asyncProperty(seed, size, size, size, (s, n, i, o) =>
        expectSameOnBothBackends(
          [matrix(s, n, i), matrix(s + 1, o, i), matrix(s + 2, o)],
          (x, w, b) =>
            tf.add(
              linear(x as tf.Tensor2D, w as tf.Tensor2D, b as tf.Tensor1D),
              linear(x as tf.Tensor2D, w as tf.Tensor2D),
            ),
          2e-5,
          Math.sqrt(Math.max(n, i, o)),
        ),
      ),
      few,
    ))

  it('matrix products with every transpose, also larger than the blocks', () =>
    fc.assert(
      fc.asyncProperty(
        seed,
        size,
        size,
        size,
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(0, 260),
        (s, m, n, k, transposeA, transposeB, more) => {
          const [a, b] = [transposeA ? [k + more, m] : [m, k + more], transposeB ? [n, k + more] : [k + more, n]]
          return expectSameOnBothBackends(
            [matrix(s, ...a), matrix(s + 1, ...b)],
            (x, y) => tf.matMul(x, y, transposeA, transposeB),
            2e-5,
            Math.sqrt(Math.max(m, n, k + more)),
          )
        },
      ),
      few,
    ))

  it('batched matrix products', () =>
    expectSameOnBothBackends([matrix(1, 3, 5, 7), matrix(2, 3, 6, 7)], (a, b) => tf.matMul(a, b, false, true)))

  it('rmsNorm', () =>
    fc.assert(
      fc.asyncProperty(seed, size, size, (s, n, d) =>
        expectSameOnBothBackends(
          [matrix(s, n, d), matrix(s + 1, d)],
          (x, w) => rmsNorm(x as tf.Tensor2D, w as tf.Tensor1D, 1e-5),
          1e-4,
        ),
      ),
      few,
    ))

  it('rope', () =>
    fc.assert(
      fc.asyncProperty(
        seed,
        size,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 18 }),
        (s, n, heads, half) => {
          const positions = Int32Array.from({ length: n }, (_, i) => (i * 37 + s) % 700)
          const frequencies = Float32Array.from({ length: half }, (_, i) => 1000 ** (-i / half))
          return expectSameOnBothBackends([matrix(s, n, heads * half * 2)], (x) =>
            rope(x as tf.Tensor2D, positions, half * 2, frequencies),
          )
        },
      ),
      few,
    ))

  it('swiglu', () =>
    fc.assert(
      fc.asyncProperty(seed, size, size, (s, n, f) =>
        expectSameOnBothBackends([matrix(s, n, f), matrix(s + 1, n, f)], (g, u) =>
          swiglu(tf.mul(g, 5), u as tf.Tensor2D),
        ),
      ),
      few,
    ))

  it('gatherRows, also with repeated rows', () =>
    fc.assert(
      fc.asyncProperty(seed, size, size, fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), (s, rows, d, picks) =>
        expectSameOnBothBackends([matrix(s, rows, d)], (x) =>
          gatherRows(
            x as tf.Tensor2D,
            Int32Array.from(picks, (pick) => pick % rows),
          ),
        ),
      ),
      few,
    ))

  it('selectedLogProbs, with both gradients', () =>
    fc.assert(
      fc.asyncProperty(
        seed,
        size,
        fc.integer({ min: 2, max: 70 }),
        size,
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        (s, rows, words, d, temperature) => {
          const targets = Int32Array.from({ length: rows }, (_, i) => (i * 31 + s) % words)
          return expectSameOnBothBackends(
            [matrix(s, rows, d), matrix(s + 1, words, d)],
            (h, w) => selectedLogProbs(h as tf.Tensor2D, w as tf.Tensor2D, targets, temperature).logProbs,
            1e-4,
          )
        },
      ),
      few,
    ))

  it('selectedLogProbs over several chunks of rows', () =>
    expectSameOnBothBackends(
      [matrix(1, 300, 8), matrix(2, 40, 8)],
      (h, w) => selectedLogProbs(h as tf.Tensor2D, w as tf.Tensor2D, new Int32Array(300).fill(3), 1).logProbs,
      1e-4,
    ))

  it('the entropy of selectedLogProbs, which carries no gradient', () =>
    expectSameOnBothBackends(
      [matrix(3, 7, 8), matrix(4, 41, 8)],
      (h, w) => selectedLogProbs(h as tf.Tensor2D, w as tf.Tensor2D, new Int32Array(7), 0.8).entropy,
      1e-4,
    ))

  it('stock sums, differences and products, repeated over rows and by scalars', () =>
    fc.assert(
      fc.asyncProperty(seed, size, size, (s, n, d) =>
        expectSameOnBothBackends(
          [matrix(s, n, d), matrix(s + 1, n, d), matrix(s + 2, d), matrix(s + 3)],
          (a, b, row, scalar) =>
            tf.mul(tf.sub(tf.add(a, row), tf.mul(tf.add(scalar, b), 0.5)), tf.sub(row, tf.mul(scalar, tf.mul(a, b)))),
          1e-4,
        ),
      ),
      few,
    ))
})

const heads = fc.constantFrom<number[]>([1, 1], [3, 3], [4, 2], [3, 1], [20, 10])
const headDim = fc.constantFrom(4, 8, 12, 24, 32, 40)
const attend = ({ layout, queries, slots }: Forest, [h, keyHeads]: number[], d: number, s: number) =>
  expectSameOnBothBackends(
    [matrix(s, queries, h! * d), matrix(s + 1, slots, keyHeads! * d), matrix(s + 2, slots, keyHeads! * d)],
    (q, k, v) => attention(q as tf.Tensor2D, k as tf.Tensor2D, v as tf.Tensor2D, layout, d),
    1e-4,
  )

/** The last segment is longer than the backward pass's blocks of 128 columns. */
const longForest = trainingForest(150, 2).filter(
  ({ layout, slots }) => slots - layout.segmentStart[layout.segmentStart.length - 1]! > 130,
)

describe('attention over a forest of segments equals dense attention with a mask', () => {
  it('in training, where the pool is the batch', () =>
    fc.assert(fc.asyncProperty(trainingForest(), heads, headDim, seed, attend), few))
  it('in sampling, with a pool of its own', () =>
    fc.assert(fc.asyncProperty(samplingForest, heads, headDim, seed, attend), few))
  it('with the queries of a segment in descending order of their slots', () =>
    fc.assert(fc.asyncProperty(samplingForest.map(reversed), heads, headDim, seed, attend), few))
  it('with segments longer than a block of columns', () =>
    fc.assert(fc.asyncProperty(longForest, fc.constant<number[]>([2, 1]), fc.constant(8), seed, attend), {
      numRuns: 3,
    }))
})

describe('fused attention', () => {
  it('refuses a layout that reaches outside the pool', async () => {
    await tf.setBackend('simd')
    const x = tf.zeros<tf.Rank.R2>([2, 4])
    const layout = {
      querySegment: Int32Array.of(0, 0),
      querySlot: Int32Array.of(5, 6),
      segmentStart: Int32Array.of(5),
      spanOffsets: Int32Array.of(0, 0),
      spanStart: new Int32Array(0),
      spanLength: new Int32Array(0),
    }
    expect(() => attention(x, x, x, layout, 4)).toThrow('reaches slot 6 of a pool with 2 slots')
  })
})

describe('operations in place on the simd backend', () => {
  it('kvWrite writes into its pool in place', async () => {
    await tf.setBackend('simd')
    const pool = tf.zeros<tf.Rank.R2>([5, 3])
    const written = kvWrite(
      pool,
      tf.tensor2d([
        [1, 2, 3],
        [4, 5, 6],
      ]),
      Int32Array.of(4, 1),
    )
    expect(written).toBe(pool)
    expect([...pool.dataSync()]).toEqual([0, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0, 1, 2, 3])
  })

  it('kvWrite refuses a slot outside the pool', async () => {
    await tf.setBackend('simd')
    expect(() => kvWrite(tf.zeros([2, 1]), tf.zeros([1, 1]), Int32Array.of(2))).toThrow(
      'A tensor with 2 rows has no row 2',
    )
  })

  it('adamw takes the same steps as the composition, clipped by the global norm', () =>
    fc.assert(
      fc.asyncProperty(seed, size, async (s, n) => {
        const results: Float32Array[][] = []
        for (const backend of ['cpu', 'simd']) {
          await tf.setBackend(backend)
          const [weight, m, v] = [matrix(s, n), matrix(s, n), matrix(s, n)].map(({ values }, i) =>
            tf.variable(tf.tensor1d(i === 0 ? values : new Float32Array(n))),
          )
          for (let step = 1; step <= 3; step++) {
            const gradient = tf.tensor1d(matrix(s + step, n).values)
            const gradientScale = clipScale(globalNorm([gradient]), 0.5)
            adamw(weight!, gradient, m!, v!, {
              learningRate: 0.05,
              beta1: 0.9,
              beta2: 0.95,
              epsilon: 1e-6,
              weightDecay: 0.1,
              step,
              gradientScale,
            })
          }
          results.push([weight!, m!, v!].map((variable) => variable.dataSync() as Float32Array))
        }
        results[0]!.forEach((expected, i) =>
          expectClose(results[1]![i]!, expected, 1e-4, ['the parameter', 'm', 'v'][i]!),
        )
      }),
      few,
    ))

  it('adamw does not change a clone of the parameter', async () => {
    await tf.setBackend('simd')
    const weight = tf.variable(tf.tensor1d([1, 2, 3, 4]))
    const before = tf.clone(weight)
    const [m, v] = [tf.variable(tf.zeros([4])), tf.variable(tf.zeros([4]))]
    adamw(weight, tf.ones([4]), m, v, {
      learningRate: 0.5,
      beta1: 0.9,
      beta2: 0.99,
      epsilon: 1e-8,
      weightDecay: 0,
      step: 1,
    })
    expect([...before.dataSync()]).toEqual([1, 2, 3, 4])
    expect(weight.dataSync()[0]).toBeCloseTo(0.5)
  })
})

describe('the gradient of fused attention', () => {
  it('agrees with finite differences', async () => {
    await tf.setBackend('simd')
    const layout = {
      querySegment: Int32Array.of(0, 0, 1, 1, 1),
      querySlot: Int32Array.of(0, 1, 2, 3, 4),
      segmentStart: Int32Array.of(0, 2),
      spanOffsets: Int32Array.of(0, 0, 1),
      spanStart: Int32Array.of(0),
      spanLength: Int32Array.of(1),
    }
    const x = matrix(5, 5, 4)
    const loss = (values: Float32Array) =>
      tf.tidy(() => {
        const t = tf.tensor2d(values, [5, 4])
        return tf.sum(tf.square(attention(t, t, t, layout, 4)))
      })
    const analytic = tf
      .grad((t) => tf.sum(tf.square(attention(t as tf.Tensor2D, t as tf.Tensor2D, t as tf.Tensor2D, layout, 4))))(
        tf.tensor2d(x.values, [5, 4]),
      )
      .dataSync()
    x.values.forEach((_, i) => {
      const nudged = (by: number) => loss(x.values.map((value, j) => (j === i ? value + by : value))).dataSync()[0]!
      expect(analytic[i]).toBeCloseTo((nudged(1 / 64) - nudged(-1 / 64)) * 32, 2)
    })
  })
})
