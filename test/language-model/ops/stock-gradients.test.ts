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
  ['minimum', (x) => tf.mul(tf.minimum(x, row), tf.minimum(row, x))],
  ['neg', (x) => tf.square(tf.neg(x))],
  ['clone, cast', (x) => tf.square(tf.cast(tf.clone(x), 'float32'))],
  ['exp', (x) => tf.exp(x)],
  ['rsqrt', (x) => tf.rsqrt(x)],
  ['sigmoid', (x) => tf.sigmoid(x)],
  ['clipByValue', (x) => tf.square(tf.clipByValue(x, 0.65, 1.5))],
  ['sum along an axis', (x) => tf.square(tf.sum(x, 1))],
  ['mean along an axis', (x) => tf.square(tf.mean(x, 0))],
  ['softmax', (x) => tf.mul(tf.softmax(x), matrix)],
  ['logSoftmax', (x) => tf.mul(tf.logSoftmax(x), matrix)],
  [
    'matMul with every transpose',
    (x) =>
      [
        tf.sum(tf.square(tf.matMul(x, matrix, false, true))),
        tf.sum(tf.square(tf.matMul(x, matrix, true, false))),
        tf.sum(tf.square(tf.matMul(x, tf.transpose(matrix)))),
        tf.sum(tf.square(tf.matMul(x, tf.transpose(matrix), true, true))),
        tf.sum(tf.square(tf.matMul(tf.transpose(matrix), x))),
        tf.sum(tf.square(tf.matMul(matrix, x, true, false))),
        tf.sum(tf.square(tf.matMul(matrix, x, false, true))),
        tf.sum(tf.square(tf.matMul(tf.transpose(matrix), x, true, true))),
      ].reduce((sum, each) => tf.add(sum, each)),
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
