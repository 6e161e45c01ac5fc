import * as tf from '@tensorflow/tfjs-core'
import '@tensorflow/tfjs-backend-cpu'
import { beforeAll, describe, expect, it } from 'vitest'
import '../../../src/language-model/ops/index.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

/** A fixed tensor, away from the kinks of min, max and abs. */
const fixed = (shape: number[], shift = 0) =>
  tf.tensor(
    Array.from({ length: tf.util.sizeFromShape(shape) }, (_, i) => 0.3 + shift + ((i * 7 + 3) % 11) / 7),
    shape,
  )
const row = fixed([3], 0.05)
const matrix = fixed([2, 3], 0.11)

const cases: [string, (x: tf.Tensor) => tf.Tensor][] = [
  ['add, broadcast', (x) => tf.square(tf.add(row, x))],
  ['sub, broadcast from a scalar', (x) => tf.square(tf.sub(tf.sum(x), x))],
  ['mul', (x) => tf.mul(x, tf.mul(x, row))],
  ['div', (x) => tf.add(tf.div(row, x), tf.div(x, row))],
  ['minimum and maximum', (x) => tf.mul(tf.minimum(x, row), tf.maximum(row, x))],
  ['squared difference', (x) => tf.squaredDifference(row, x)],
  ['addN', (x) => tf.addN([x, x, tf.square(x)])],
  ['neg, abs', (x) => tf.abs(tf.neg(x))],
  ['clone, cast', (x) => tf.square(tf.cast(tf.clone(x), 'float32'))],
  ['log, log1p, exp', (x) => tf.mul(tf.log(x), tf.mul(tf.log1p(x), tf.exp(x)))],
  ['sqrt, rsqrt', (x) => tf.add(tf.sqrt(x), tf.rsqrt(x))],
  ['sigmoid, tanh, softplus, relu', (x) => tf.addN([tf.sigmoid(x), tf.tanh(x), tf.softplus(x), tf.relu(tf.sub(x, 1))])],
  ['clipByValue', (x) => tf.square(tf.clipByValue(x, 0.65, 1.5))],
  ['sum along an axis', (x) => tf.square(tf.sum(x, 1))],
  ['mean along an axis', (x) => tf.square(tf.mean(x, 0))],
  ['max', (x) => tf.square(tf.max(x, 1))],
  ['softmax', (x) => tf.mul(tf.softmax(x), matrix)],
  ['logSoftmax', (x) => tf.mul(tf.logSoftmax(x), matrix)],
  ['logSumExp', (x) => tf.logSumExp(x, 1)],
  [
    'matMul with every transpose',
    (x) =>
      tf.addN([
        tf.sum(tf.square(tf.matMul(x, matrix, false, true))),
        tf.sum(tf.square(tf.matMul(x, matrix, true, false))),
        tf.sum(tf.square(tf.matMul(x, tf.transpose(matrix)))),
        tf.sum(tf.square(tf.matMul(x, tf.transpose(matrix), true, true))),
        tf.sum(tf.square(tf.matMul(tf.transpose(matrix), x))),
        tf.sum(tf.square(tf.matMul(matrix, x, true, false))),
        tf.sum(tf.square(tf.matMul(matrix, x, false, true))),
        tf.sum(tf.square(tf.matMul(tf.transpose(matrix), x, true, true))),
      ]),
  ],
  [
    'reshape, transpose, expandDims',
    (x) => tf.mul(tf.square(tf.reshape(tf.transpose(tf.expandDims(x, 1), [2, 1, 0]), [3, 2])), tf.transpose(matrix)),
  ],
  ['slice', (x) => tf.square(tf.slice(x, [1, 1], [1, 2]))],
  ['concat', (x) => tf.mul(tf.concat([x, tf.square(x)], 1), fixed([2, 6]))],
  [
    'split',
    (x) => {
      const [a, b, c] = tf.split(x, 3, 1)
      return tf.mul(tf.mul(a!, b!), tf.square(c!))
    },
  ],
  ['stack', (x) => tf.mul(tf.stack([x, tf.square(x)], 1), fixed([2, 2, 3]))],
  ['where', (x) => tf.where(tf.greater(x, row), tf.square(x), tf.mul(3, x))],
  ['gather', (x) => tf.mul(tf.gather(x, tf.tensor1d([1, 0, 1], 'int32')), fixed([3, 3]))],
]

describe('the gradients of stock operations', () => {
  it.each(cases)('agree with finite differences: %s', (_, f) => {
    const x = fixed([2, 3])
    const scalar = (t: tf.Tensor) => tf.sum(f(t))
    const analytic = tf.grad(scalar)(x).dataSync()
    const step = 1 / 128
    x.dataSync().forEach((_, i) => {
      const nudge = tf.tensor(
        Array.from({ length: 6 }, (_, j) => (j === i ? step : 0)),
        [2, 3],
      )
      const numeric = (scalar(tf.add(x, nudge)).dataSync()[0]! - scalar(tf.sub(x, nudge)).dataSync()[0]!) / (2 * step)
      expect(Math.abs(analytic[i]! - numeric)).toBeLessThan(0.01 * (1 + Math.abs(numeric)))
    })
  })
})
