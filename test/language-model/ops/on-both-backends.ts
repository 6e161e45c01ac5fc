import * as tf from '@tensorflow/tfjs-core'
import '@tensorflow/tfjs-backend-cpu'
import { expect } from 'vitest'

export interface Matrix {
  shape: number[]
  values: Float32Array
}

/** Normal-ish numbers from a seed, the same on every backend. */
export function matrix(seed: number, ...shape: number[]): Matrix {
  let state = (seed * 2654435761 + shape.length) >>> 0
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const values = Float32Array.from(
    { length: shape.reduce((product, size) => product * size, 1) },
    () => (uniform() + uniform() + uniform() - 1.5) * 2,
  )
  return { shape, values }
}

/**
 * Runs `f` and its gradient, for a fixed random upstream gradient, on the tfjs `cpu` composition and on the fused `simd` kernels, and
 * expects the same numbers within `tolerance` of the largest, or of `floor` if all are smaller. For a sum of k products of unit
 * numbers pass the floor √k: intermediate sums have that size even if the terms cancel in the end.
 */
export async function expectSameOnBothBackends(
  inputs: Matrix[],
  f: (...inputs: tf.Tensor[]) => tf.Tensor,
  tolerance = 2e-5,
  floor = 0.1,
): Promise<void> {
  const reference = await run('cpu', inputs, f)
  const fused = await run('simd', inputs, f)
  reference.forEach((expected, i) =>
    expectClose(fused[i]!, expected, tolerance, i === 0 ? 'the value' : `the gradient of input ${i}`, floor),
  )
}

export function expectClose(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  what: string,
  floor = 0.1,
): void {
  expect(actual.length).toBe(expected.length)
  let scale = floor
  for (let i = 0; i < expected.length; i++) scale = Math.max(scale, Math.abs(expected[i]!))
  for (let i = 0; i < expected.length; i++) {
    // Not `>`: a NaN must fail too.
    if (!(Math.abs(actual[i]! - expected[i]!) <= tolerance * scale)) {
      throw new Error(`${what} differs at ${i}: ${actual[i]} instead of ${expected[i]} (largest magnitude ${scale})`)
    }
  }
}

async function run(
  backend: string,
  inputs: Matrix[],
  f: (...inputs: tf.Tensor[]) => tf.Tensor,
): Promise<Float32Array[]> {
  await tf.setBackend(backend)
  return tf.tidy(() => {
    const tensors = inputs.map(({ shape, values }) => tf.tensor(values, shape))
    const value = f(...tensors)
    const upstream = matrix(99, ...value.shape)
    const dy = tf.tensor(upstream.values, upstream.shape)
    const gradients = tf.grads(f)(tensors, dy)
    return [value, ...gradients].map((tensor) => tensor.dataSync() as Float32Array)
  })
}
