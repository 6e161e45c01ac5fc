import * as tf from '@tensorflow/tfjs-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { selectBackend } from '../../../src/language-model/backends/select-backend.ts'
import type { SimdBackend } from '../../../src/language-model/backends/simd/simd-backend.ts'
import { adamw, linear } from '../../../src/language-model/ops/index.ts'
import { matrix } from '../ops/on-both-backends.ts'

const backend = () => tf.backend() as SimdBackend
const tensor = (seed: number, rows: number, columns: number): tf.Tensor2D =>
  tf.tensor2d(matrix(seed, rows, columns).values, [rows, columns])

/** More products than a weight needs to get panels. */
const OFTEN = 12

const product = (x: tf.Tensor2D, weight: tf.Tensor2D): Float32Array =>
  tf.tidy(() => linear(x, weight).dataSync<'float32'>().slice())

const hasPanels = (weight: tf.Tensor2D): boolean => backend().panelsOf(weight, 1) !== null

function useOften(weight: tf.Tensor2D): void {
  tf.tidy(() => {
    const x = tensor(1, 1, weight.shape[1])
    for (let i = 0; i < OFTEN; i++) linear(x, weight)
  })
}

describe('the panels of a weight', () => {
  beforeAll(async () => void (await selectBackend('cpu')))

  it('change no product, whatever its rows, columns and depth', () => {
    for (const [n, k] of [
      [1, 1],
      [7, 5],
      [8, 256],
      [33, 128],
      [520, 260],
      [1031, 515],
    ] as const) {
      const weight = tensor(2, n, k)
      for (const rows of [1, 2, 3, 4, 5, 6, 7, 49, 64]) {
        const x = tensor(rows, rows, k)
        const fresh = tf.tidy(() => product(x, tf.tensor2d(weight.dataSync(), [n, k])))
        useOften(weight)
        expect(hasPanels(weight)).toBe(true)
        expect(product(x, weight), `${rows} rows, ${n} columns, depth ${k}`).toEqual(fresh)
        x.dispose()
      }
      weight.dispose()
    }
  })

  it('follow a weight that an optimiser changes in place', () => {
    const [x, gradient] = [tensor(3, 4, 16), tensor(4, 24, 16)]
    const start = tensor(5, 24, 16)
    const [weight, first, second] = [
      tf.variable(start),
      tf.variable(tf.zeros([24, 16])),
      tf.variable(tf.zeros([24, 16])),
    ]
    start.dispose()
    useOften(weight)
    const before = product(x, weight)
    adamw(weight, gradient, first, second, {
      learningRate: 0.1,
      beta1: 0.9,
      beta2: 0.999,
      epsilon: 1e-8,
      weightDecay: 0,
      step: 1,
    })
    expect(product(x, weight as tf.Tensor2D)).not.toEqual(before)
    useOften(weight)
    const packed = product(x, weight)
    const fresh = tf.tidy(() => product(x, tf.tensor2d(weight.dataSync(), [24, 16])))
    expect(packed).toEqual(fresh)
    tf.dispose([x, gradient, weight, first, second])
  })

  it('are released with the weight', () => {
    const used = backend().allocator.bytesInUse
    const weight = tensor(6, 40, 24)
    useOften(weight)
    expect(backend().allocator.bytesInUse).toBe(used + 2 * 4 * 40 * 24)
    weight.dispose()
    expect(backend().allocator.bytesInUse).toBe(used)
  })

  it('are not made for an activation, which is used once', () => {
    const activation = tensor(7, 40, 24)
    product(activation, activation)
    expect(hasPanels(activation)).toBe(false)
    activation.dispose()
  })
})
