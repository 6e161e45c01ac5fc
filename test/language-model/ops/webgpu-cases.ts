/** Operations as plain data, so that a test can have another thread evaluate them, and random cases of them for graphics devices. */
import * as tf from '@tensorflow/tfjs-core'
import fc from 'fast-check'
import {
  adamw,
  addLowRank,
  type AttentionLayout,
  attention,
  clipScale,
  gatherRows,
  globalNorm,
  rmsNorm,
  rope,
  selectedLogProbs,
  swiglu,
} from '../../../src/language-model/ops/index.ts'
import { samplingForest, trainingForest } from './forest.ts'
import { type Matrix, matrix } from './on-both-backends.ts'

export type Operation =
  | { name: 'rmsNorm'; epsilon: number }
  | { name: 'rope'; positions: Int32Array; headDim: number; inverseFrequencies: Float32Array }
  | { name: 'swiglu' }
  | { name: 'gatherRows'; indices: Int32Array }
  | { name: 'selectedLogProbs'; targets: Int32Array; temperature: number; result: 'logProbs' | 'entropy' }
  | { name: 'attention'; layout: AttentionLayout; headDim: number }
  | { name: 'matMul'; transposeA: boolean; transposeB: boolean }
  | { name: 'add' }
  | { name: 'addLowRank'; scale: number }

export interface Case {
  operation: Operation
  inputs: Matrix[]
  /** Upstream gradient; absent if only the value is tested. */
  dy: Matrix
  /** Relative to the largest number of a result, or to `floor` if all are smaller. */
  tolerance: number
  floor: number
}

/** The value, then the gradient with respect to each input. */
export function evaluate({ operation, inputs, dy }: Pick<Case, 'operation' | 'inputs' | 'dy'>): tf.Tensor[] {
  const tensor = ({ values, shape }: Matrix) => tf.tensor(values, shape)
  const f = (...x: tf.Tensor[]) => apply(operation, x)
  const tensors = inputs.map(tensor)
  return [f(...tensors), ...tf.grads(f)(tensors, tensor(dy))]
}

function apply(operation: Operation, inputs: tf.Tensor[]): tf.Tensor {
  const [a, b, c] = inputs as [tf.Tensor2D, tf.Tensor2D, tf.Tensor2D]
  switch (operation.name) {
    case 'rmsNorm':
      return rmsNorm(a, tf.reshape(b, [b.size]), operation.epsilon)
    case 'rope':
      return rope(a, operation.positions, operation.headDim, operation.inverseFrequencies)
    case 'swiglu':
      return swiglu(a, b)
    case 'gatherRows':
      return gatherRows(a, operation.indices)
    case 'selectedLogProbs':
      return selectedLogProbs(a, b, operation.targets, operation.temperature)[operation.result]
    case 'attention':
      return attention(a, b, c, operation.layout, operation.headDim)
    case 'matMul':
      return tf.matMul(a, b, operation.transposeA, operation.transposeB)
    case 'addLowRank':
      return addLowRank(a, b, c, operation.scale)
    case 'add':
      // New tensors are not on the device yet, and small ones would be added on the CPU.
      return tf.add(tf.mul(a, 1), tf.mul(b, 1))
  }
}

export interface Optimisation {
  parameters: Matrix[]
  /** `gradients[step][parameter]` */
  gradients: Matrix[][]
  maximumNorm: number
}

/** The norm of the gradients at every step, then each parameter with its two moments after the last step. */
export function optimise({ parameters, gradients, maximumNorm }: Optimisation): tf.Tensor[] {
  const tensor = ({ values, shape }: Matrix) => tf.tensor(values, shape)
  const trained = parameters.map((parameter) => {
    const start = tensor(parameter)
    return [tf.variable(start), tf.variable(tf.zerosLike(start)), tf.variable(tf.zerosLike(start))] as const
  })
  const norms = gradients.map((ofStep, step) => {
    const given = ofStep.map(tensor)
    const norm = globalNorm(given)
    const gradientScale = clipScale(norm, maximumNorm)
    for (const [i, [parameter, first, second]] of trained.entries())
      adamw(parameter, given[i]!, first, second, {
        learningRate: 0.05,
        beta1: 0.9,
        beta2: 0.95,
        epsilon: 1e-6,
        weightDecay: 0.1,
        step: step + 1,
        gradientScale,
      })
    return norm
  })
  return [...norms, ...trained.flat()]
}

const seed = fc.integer({ min: 1, max: 1e6 })
/** One, odd, around a vector of four, and more than a workgroup or a tile. */
const size = fc.oneof(
  fc.constantFrom(1, 2, 3, 4, 5, 8),
  fc.integer({ min: 9, max: 70 }),
  fc.integer({ min: 71, max: 150 }),
)

const sample = <T>(cases: fc.Arbitrary<T>, numRuns: number): T[] => fc.sample(cases, { seed: 7, numRuns })

function caseOf(
  operation: Operation,
  inputs: Matrix[],
  resultShape: number[],
  { tolerance = 1e-5, floor = 0.1 } = {},
): Case {
  return { operation, inputs, dy: matrix(99, ...resultShape), tolerance, floor }
}

/** Includes more gradients than one program reads, and shapes that four does not divide. */
export const optimisations = (): Optimisation[] =>
  sample(
    fc.tuple(seed, fc.array(fc.tuple(size, size), { minLength: 1, maxLength: 17 }), fc.constantFrom(0.5, 1e9)),
    6,
  ).map(([s, shapes, maximumNorm]) => {
    const ofAll = (offset: number) => shapes.map(([rows, columns], i) => matrix(s + offset + i, rows, columns))
    return { parameters: ofAll(0), gradients: [ofAll(100), ofAll(200), ofAll(300)], maximumNorm }
  })

export const rmsNormCases = (): Case[] =>
  sample(fc.tuple(seed, size, size), 20).map(([s, rows, d]) =>
    caseOf({ name: 'rmsNorm', epsilon: 1e-5 }, [matrix(s, rows, d), matrix(s + 1, d)], [rows, d], {
      tolerance: 2e-5,
      floor: Math.sqrt(rows),
    }),
  )

export const ropeCases = (): Case[] =>
  sample(fc.tuple(seed, size, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 18 })), 20).map(
    ([s, rows, heads, half]) =>
      caseOf(
        {
          name: 'rope',
          headDim: 2 * half,
          positions: Int32Array.from({ length: rows }, (_, i) => (i * 37 + s) % 1300),
          inverseFrequencies: Float32Array.from({ length: half }, (_, i) => 1000 ** (-i / half)),
        },
        [matrix(s, rows, heads * half * 2)],
        [rows, heads * half * 2],
      ),
  )

export const swigluCases = (): Case[] =>
  sample(fc.tuple(seed, size, size, fc.constantFrom(1, 5, 60)), 20).map(([s, rows, f, wide]) => {
    const gate = matrix(s, rows, f)
    return caseOf(
      { name: 'swiglu' },
      [{ ...gate, values: gate.values.map((value) => value * wide) }, matrix(s + 1, rows, f)],
      [rows, f],
    )
  })

export const attentionCases = (): Case[] =>
  [
    { headDim: 8, heads: 4, keyHeads: 2, forests: sample(trainingForest(), 5) },
    { headDim: 8, heads: 3, keyHeads: 3, forests: sample(samplingForest, 3) },
    { headDim: 32, heads: 2, keyHeads: 1, forests: sample(trainingForest(90), 2) },
    // Heads of 6 are not whole vectors of four, so the composition with a mask runs.
    { headDim: 6, heads: 2, keyHeads: 1, forests: sample(trainingForest(), 2) },
  ].flatMap(({ headDim, heads, keyHeads, forests }) =>
    forests.map(({ layout, queries, slots }, s) =>
      caseOf(
        { name: 'attention', layout, headDim },
        [
          matrix(s + 1, queries, heads * headDim),
          matrix(s + 2, slots, keyHeads * headDim),
          matrix(s + 3, slots, keyHeads * headDim),
        ],
        [queries, heads * headDim],
        { tolerance: 1e-4 },
      ),
    ),
  )

/** Intermediate sums of k products have size √k, so rounding is relative to that floor. */
const productCase = (
  s: number,
  [m, n, k]: readonly [number, number, number],
  transposeA: boolean,
  transposeB: boolean,
  batches: readonly [number[], number[]] = [[], []],
): Case =>
  caseOf(
    { name: 'matMul', transposeA, transposeB },
    [
      matrix(s, ...batches[0], ...(transposeA ? [k, m] : [m, k])),
      matrix(s + 1, ...batches[1], ...(transposeB ? [n, k] : [k, n])),
    ],
    [...(batches[0].length > 0 ? batches[0] : batches[1]), m, n],
    { tolerance: 1e-5, floor: Math.sqrt(Math.max(m, n, k)) },
  )

export const matMulCases = (): Case[] => [
  ...sample(fc.tuple(seed, size, size, size, fc.boolean(), fc.boolean()), 16).map(
    ([s, m, n, k, transposeA, transposeB]) => productCase(s, [m, n, k], transposeA, transposeB),
  ),
  // Few rows, with an inner index that all lanes of a workgroup share.
  ...([1, 3, 9] as const).flatMap((m) => [
    productCase(m, [m, 13, 300], false, true),
    productCase(m, [m, 6, 521], false, true),
  ]),
  // An inner index that is split, and tiles of 64.
  productCase(1, [40, 36, 1100], true, false),
  productCase(2, [33, 35, 777], true, true),
  productCase(3, [704, 740, 16], false, true),
  // Batches, and one matrix for a batch.
  productCase(5, [5, 6, 7], false, true, [[3], [3]]),
  productCase(6, [5, 6, 7], true, false, [
    [2, 2],
    [2, 2],
  ]),
]

export const addCases = (): Case[] =>
  sample(fc.tuple(seed, size, size, fc.constantFrom('same', 'row', 'number', 'column', 'left' as const)), 15).map(
    ([s, rows, d, how]) => {
      const whole = matrix(s, rows, d)
      const other = { same: [rows, d], row: [d], number: [], column: [rows, 1], left: [d] }[how]
      const inputs = [whole, matrix(s + 1, ...other)]
      return caseOf({ name: 'add' }, how === 'left' ? inputs.reverse() : inputs, [rows, d], {
        tolerance: 1e-6,
        floor: Math.sqrt(rows * d),
      })
    },
  )

export const addLowRankCases = (): Case[] =>
  sample(fc.tuple(seed, size, size, fc.constantFrom(1, 3, 4, 16)), 15).map(([s, rows, d, rank]) =>
    caseOf(
      { name: 'addLowRank', scale: 1.5 },
      [matrix(s, rows, d), matrix(s + 1, rows, rank), matrix(s + 2, d, rank)],
      [rows, d],
      { tolerance: 2e-5, floor: Math.sqrt(Math.max(rows, d)) },
    ),
  )

export const gatherRowsCases = (): Case[] =>
  sample(fc.tuple(seed, size, size, fc.array(fc.nat(), { minLength: 1, maxLength: 40 })), 15).map(
    ([s, rows, d, picks]) =>
      caseOf(
        { name: 'gatherRows', indices: Int32Array.from(picks, (pick) => pick % rows) },
        [matrix(s, rows, d)],
        [picks.length, d],
      ),
  )

export const selectedLogProbsCases = (): Case[] =>
  sample(
    fc.tuple(
      seed,
      size,
      fc.integer({ min: 2, max: 150 }),
      size,
      fc.double({ min: 0.5, max: 2, noNaN: true }),
      fc.constantFrom('logProbs' as const, 'logProbs' as const, 'entropy' as const),
    ),
    15,
  ).map(([s, rows, words, d, temperature, result]) =>
    caseOf(
      {
        name: 'selectedLogProbs',
        targets: Int32Array.from({ length: rows }, (_, i) => (i * 31 + s) % words),
        temperature,
        result,
      },
      [matrix(s, rows, d), matrix(s + 1, words, d)],
      [rows],
      { tolerance: 1e-5, floor: Math.sqrt(Math.max(rows, words, d)) },
    ),
  )
