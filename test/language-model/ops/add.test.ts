import * as tf from '@tensorflow/tfjs-core'
import { describe, expect, test } from 'vitest'
import { addBias, addSame } from '../../../src/language-model/ops/add.ts'
import { registerBackends } from '../../../src/language-model/backends/select-backend.ts'
import '../../../src/language-model/ops/index.ts'
import { matrix } from './on-both-backends.ts'

const tensor = (seed: number, ...shape: number[]) => tf.tensor(matrix(seed, ...shape).values, shape)

describe.each(['cpu', 'simd'])('sums on %s', (backend) => {
  const value = (f: (a: tf.Tensor, b: tf.Tensor) => tf.Tensor, shape: number[]) =>
    tf.tidy(() => {
      const [a, b, dy] = [tensor(1, 5, 8), tensor(2, ...shape), tensor(3, 5, 8)]
      // b twice, so that its gradients are added up.
      const g = (x: tf.Tensor, y: tf.Tensor) => tf.mul(f(f(x, y), y), 1)
      return [f(a, b), ...tf.grads(g)([a, b], dy)].map((t) => t.dataSync<'float32'>().slice())
    })

  test('have the values and gradients of the stock sums, and leak nothing', async () => {
    registerBackends()
    await tf.setBackend(backend)
    const before = tf.memory().numTensors
    expect(value((a, b) => addSame(a as tf.Tensor2D, b as tf.Tensor2D), [5, 8])).toEqual(value(tf.add, [5, 8]))
    expect(value((a, b) => addBias(a as tf.Tensor2D, b as tf.Tensor1D), [8])).toEqual(value(tf.add, [8]))
    expect(tf.memory().numTensors).toBe(before)
  })

  test('compute no gradient for a frozen bias, but one for the other operand', async () => {
    await tf.setBackend(backend)
    const bias = tf.variable(tensor(4, 8) as tf.Tensor1D, false)
    const y = tf.variable(tensor(5, 3, 8) as tf.Tensor2D)
    const { grads } = tf.variableGrads(() =>
      tf.sum(addBias(y as tf.Tensor as tf.Tensor2D, bias as tf.Tensor as tf.Tensor1D)),
    )
    expect(Object.keys(grads)).toEqual([y.name])
    expect(grads[y.name]!.dataSync()).toEqual(new Float32Array(24).fill(1))
    tf.dispose([grads, bias, y])
  })
})
