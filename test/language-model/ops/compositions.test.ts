import * as tf from '@tensorflow/tfjs-core'
import '@tensorflow/tfjs-backend-cpu'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  adamw,
  attention,
  clipScale,
  embedding,
  globalNorm,
  kvWrite,
  linear,
  rmsNorm,
  rope,
  selectedLogProbs,
  swiglu,
  type AttentionLayout,
} from '../../../src/language-model/ops/index.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

const random = (rows: number, columns: number): tf.Tensor2D => tf.randomNormal([rows, columns], 0, 1, 'float32', 7)
const values = (x: tf.Tensor) => [...x.dataSync()]

describe('the operations composed of stock TensorFlow.js', () => {
  it('linear multiplies by the transposed weight and adds the bias', () => {
    const y = linear(
      tf.tensor2d([[1, 2]]),
      tf.tensor2d([
        [1, 0],
        [0, 1],
        [1, 1],
      ]),
      tf.tensor1d([10, 20, 30]),
    )
    expect(values(y)).toEqual([11, 22, 33])
  })

  it('rmsNorm leaves rows with a mean square of one', () => {
    const squares = values(tf.mean(tf.square(rmsNorm(random(3, 8), tf.ones([8]), 1e-6)), 1))
    for (const square of squares) expect(square).toBeCloseTo(1, 4)
  })

  it('rope turns the pair (i, i + headDim/2) by position times frequency', () => {
    const y = values(rope(tf.tensor2d([[1, 0, 0, 0, 0, 1, 0, 0]]), Int32Array.of(3), 4, Float32Array.of(0.5, 0.1)))
    expect(y[0]).toBeCloseTo(Math.cos(1.5))
    expect(y[2]).toBeCloseTo(Math.sin(1.5))
    expect(y[5]).toBeCloseTo(Math.cos(0.3))
    expect(y[7]).toBeCloseTo(Math.sin(0.3))
  })

  it('rope makes scores depend only on the distance between positions', () => {
    const frequencies = Float32Array.of(1, 0.3)
    const score = (a: number, b: number) =>
      values(
        tf.sum(
          tf.mul(
            rope(tf.tensor2d([[1, 2, 3, 4]]), Int32Array.of(a), 4, frequencies),
            rope(tf.tensor2d([[4, 1, 2, 3]]), Int32Array.of(b), 4, frequencies),
          ),
        ),
      )[0]!
    expect(score(9, 4)).toBeCloseTo(score(105, 100), 3)
  })

  it('attention over a shared prefix equals attention over each sequence written out in full', () => {
    const D = 4
    const [prefix, left, right] = [random(3, D), random(2, D), tf.neg(random(4, D))]
    const alone = (length: number): AttentionLayout => ({
      querySegment: new Int32Array(length),
      querySlot: Int32Array.from({ length }, (_, i) => i),
      segmentStart: Int32Array.of(0),
      spanOffsets: Int32Array.of(0, 0),
      spanStart: new Int32Array(0),
      spanLength: new Int32Array(0),
    })
    const forest: AttentionLayout = {
      querySegment: Int32Array.of(0, 0, 0, 1, 1, 2, 2, 2, 2),
      querySlot: Int32Array.from({ length: 9 }, (_, i) => i),
      segmentStart: Int32Array.of(0, 3, 5),
      spanOffsets: Int32Array.of(0, 0, 1, 2),
      spanStart: Int32Array.of(0, 0),
      spanLength: Int32Array.of(3, 3),
    }
    const all = tf.concat([prefix, left, right])
    const shared = attention(all, all, all, forest, D)
    for (const [branch, start] of [
      [left, 3],
      [right, 5],
    ] as const) {
      const whole = tf.concat([prefix, branch])
      const expected = tf.slice(attention(whole, whole, whole, alone(whole.shape[0]), D), [3, 0])
      const actual = values(tf.slice(shared, [start, 0], [branch.shape[0], D]))
      values(expected).forEach((value, i) => expect(actual[i]).toBeCloseTo(value, 5))
    }
  })

  it('swiglu is silu of the gate times the other branch', () => {
    expect(values(swiglu(tf.tensor2d([[2]]), tf.tensor2d([[3]])))[0]).toBeCloseTo(6 / (1 + Math.exp(-2)), 5)
  })

  it('embedding adds the gradients of a token that occurs twice', () => {
    const gradient = tf.grad((table) => tf.sum(embedding(table as tf.Tensor2D, Int32Array.of(1, 1, 0))))(
      tf.zeros([3, 2]),
    )
    expect(values(gradient)).toEqual([1, 1, 2, 2, 0, 0])
  })

  it('selectedLogProbs gives -ln V and entropy ln V if all logits are equal', () => {
    const { logProbs, entropy } = selectedLogProbs(tf.ones([2, 3]), tf.ones([5, 3]), Int32Array.of(0, 4), 0.7)
    for (const value of values(logProbs)) expect(value).toBeCloseTo(-Math.log(5), 5)
    for (const value of values(entropy)) expect(value).toBeCloseTo(Math.log(5), 5)
  })

  it('kvWrite puts rows into their slots and disposes the pool it replaces', () => {
    const pool = tf.zeros<tf.Rank.R2>([3, 2])
    const before = tf.memory().numTensors
    const written = kvWrite(pool, tf.tensor2d([[1, 2]]), Int32Array.of(2))
    expect(values(written)).toEqual([0, 0, 0, 0, 1, 2])
    expect(tf.memory().numTensors).toBe(before + 1)
    expect(pool.isDisposed).toBe(true)
  })

  it('the first AdamW step moves each weight by the learning rate against the sign of its gradient', () => {
    const weight = tf.variable(tf.tensor1d([1, 1]))
    const [m, v] = [tf.variable(tf.zeros([2])), tf.variable(tf.zeros([2]))]
    adamw(weight, tf.tensor1d([5, -0.1]), m, v, {
      learningRate: 0.01,
      beta1: 0.9,
      beta2: 0.99,
      epsilon: 1e-8,
      weightDecay: 0,
      step: 1,
    })
    expect(values(weight)[0]).toBeCloseTo(0.99, 5)
    expect(values(weight)[1]).toBeCloseTo(1.01, 5)
  })

  it('clipScale reduces the global norm to the maximum and does not change a smaller one', () => {
    const norm = globalNorm([tf.tensor1d([3]), tf.tensor2d([[4]])])
    expect(values(norm)[0]).toBeCloseTo(5)
    expect(values(clipScale(norm, 1))[0]).toBeCloseTo(0.2)
    expect(values(clipScale(norm, 50))[0]).toBe(1)
  })
})
