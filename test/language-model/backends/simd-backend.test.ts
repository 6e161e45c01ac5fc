import * as tf from '@tensorflow/tfjs-core'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { BackendUnavailableError } from '../../../src/language-model/backends/backend.ts'
import { selectBackend } from '../../../src/language-model/backends/select-backend.ts'
import { hasRelaxedSimd, instantiateKernels } from '../../../src/language-model/backends/simd/kernel-module.ts'
import { SimdBackend } from '../../../src/language-model/backends/simd/simd-backend.ts'
import {
  adamw,
  attention,
  embedding,
  globalNorm,
  linear,
  rmsNorm,
  rope,
  selectedLogProbs,
  swiglu,
  type AttentionLayout,
} from '../../../src/language-model/ops/index.ts'
import { matrix } from '../ops/on-both-backends.ts'

const backend = () => tf.backend() as SimdBackend
const variable = (seed: number, ...shape: number[]) =>
  tf.tidy(() => tf.variable(tf.mul(0.2, tf.tensor(matrix(seed, ...shape).values, shape))))

/** A model of one layer, enough to run every kernel forward and backward. */
function trainingSteps(): (step: number, length: number) => number {
  const [width, words] = [16, 23]
  const weights = [
    variable(1, words, width),
    variable(2, width, width),
    variable(3, width, width),
    variable(4, width, width),
    variable(5, width, width),
  ]
  const scale = tf.tidy(() => tf.variable(tf.ones([width])))
  const all = [...weights, scale]
  const moments = all.map(
    (weight) =>
      [tf.tidy(() => tf.variable(tf.zerosLike(weight))), tf.tidy(() => tf.variable(tf.zerosLike(weight)))] as const,
  )
  const frequencies = Float32Array.from({ length: 4 }, (_, i) => 100 ** (-i / 4))
  return (step, length) =>
    tf.tidy(() => {
      const slots = Int32Array.from({ length }, (_, i) => i)
      const ids = slots.map((i) => (i * 7 + 1) % words)
      const layout: AttentionLayout = {
        querySegment: new Int32Array(length),
        querySlot: slots,
        segmentStart: Int32Array.of(0),
        spanOffsets: Int32Array.of(0, 0),
        spanStart: new Int32Array(0),
        spanLength: new Int32Array(0),
      }
      const loss = () => {
        const [table, wq, wk, wv, wf] = weights as unknown as tf.Tensor2D[]
        const x = embedding(table!, ids)
        const h = rmsNorm(x, scale as unknown as tf.Tensor1D, 1e-5)
        const [q, k] = [wq!, wk!].map((w) => rope(linear(h, w), slots, 8, frequencies))
        const y = tf.add<tf.Tensor2D>(x, attention(q!, k!, linear(h, wv!), layout, 8))
        const z = tf.add<tf.Tensor2D>(y, swiglu(linear(y, wf!), y))
        return tf.neg<tf.Scalar>(tf.mean(selectedLogProbs(z, table!, ids, 1).logProbs))
      }
      const { value, grads } = tf.variableGrads(loss, all)
      globalNorm(Object.values(grads))
      all.forEach((weight, i) =>
        adamw(weight, grads[weight.name]!, moments[i]![0], moments[i]![1], {
          learningRate: 0.02,
          beta1: 0.9,
          beta2: 0.95,
          epsilon: 1e-8,
          weightDecay: 0,
          step,
        }),
      )
      return value.dataSync()[0]!
    })
}

describe('the simd backend', () => {
  beforeAll(async () => {
    await selectBackend('cpu')
  })

  it('learns without leaking tensors or memory', () => {
    const train = trainingSteps()
    const first = train(1, 40)
    for (let step = 2; step <= 8; step++) train(step, 20 + step * 3)
    const [tensors, buffers, inUse, reserved] = [
      tf.memory().numTensors,
      tf.memory().numDataBuffers,
      backend().allocator.bytesInUse,
      backend().allocator.bytesReserved,
    ]
    let last = first
    for (let step = 9; step <= 30; step++) last = train(step, 20 + (step % 8) * 3)
    expect(last).toBeLessThan(first * 0.8)
    expect(tf.memory().numTensors).toBe(tensors)
    expect(tf.memory().numDataBuffers).toBe(buffers)
    expect(backend().allocator.bytesInUse).toBe(inUse)
    expect(backend().allocator.bytesReserved).toBe(reserved)
  })

  it('keeps every tensor readable when its memory grows', () => {
    const before = tf.mul(tf.tensor1d([1, 2, 3]), tf.tensor1d([2, 2, 2]))
    const reserved = backend().allocator.bytesReserved
    const size = Math.ceil(Math.sqrt(reserved / 4)) + 1
    const large = tf.matMul(tf.ones([size, 1]), tf.ones([1, size]))
    expect(backend().allocator.bytesReserved).toBeGreaterThan(reserved)
    expect([...tf.add(before, before).dataSync()]).toEqual([4, 8, 12])
    expect([...before.dataSync()]).toEqual([2, 4, 6])
    large.dispose()
  })

  it('returns values that stay valid after their tensor is disposed and its memory is reused', () => {
    const sum = tf.add(tf.tensor1d([1, 2]), tf.tensor1d([1, 1]))
    const values = sum.dataSync()
    sum.dispose()
    tf.add(tf.tensor1d([9, 9]), tf.tensor1d([9, 9]))
    expect([...values]).toEqual([2, 3])
  })

  it('runs stock operations for which it has no kernel', () => {
    const x = tf.mul(
      tf.tensor2d([
        [1, 2],
        [3, 4],
      ]),
      tf.tensor2d([
        [1, 1],
        [1, 1],
      ]),
    )
    expect([...tf.concat([tf.transpose(x), tf.softmax(tf.zeros([1, 2]))]).dataSync()]).toEqual([1, 3, 2, 4, 0.5, 0.5])
    expect([...tf.topk(x, 1).indices.dataSync()]).toEqual([1, 1])
  })

  it('moves tensors to and from another backend', async () => {
    await tf.setBackend('cpu')
    const there = tf.tensor1d([1, 2, 3])
    await tf.setBackend('simd')
    const here = tf.add(there, there)
    await tf.setBackend('cpu')
    expect([...tf.neg(here).dataSync()]).toEqual([-2, -4, -6])
    await tf.setBackend('simd')
  })

  it('describes what it runs on', async () => {
    expect(await selectBackend('cpu')).toEqual({
      name: 'cpu',
      description: expect.stringMatching(/^WebAssembly, .*SIMD.*, one thread$/) as string,
    })
  })

  it('has both builds of the kernels, of which the plain one starts everywhere', async () => {
    const { kernels } = await instantiateKernels(false)
    expect(kernels.matmulScratchBytes()).toBeGreaterThan(0)
    if (hasRelaxedSimd())
      expect((await instantiateKernels(true)).kernels.matmulScratchBytes()).toBe(kernels.matmulScratchBytes())
  })

  it.each([
    ['has WebGPU', { gpu: {} }, true],
    ['has none', {}, false],
  ])('explains a browser without SIMD, and offers WebGPU only to one that %s', async (_, navigator, isOffered) => {
    onTestFinished(() => {
      vi.restoreAllMocks()
      vi.unstubAllGlobals()
    })
    vi.spyOn(WebAssembly, 'validate').mockReturnValue(false)
    vi.stubGlobal('navigator', navigator)
    const outcome = await selectBackend('cpu').catch((error: unknown) => error)
    expect(outcome).toBeInstanceOf(BackendUnavailableError)
    expect((outcome as Error).message).toContain('has no WebAssembly SIMD')
    expect((outcome as Error).message.includes('choose WebGPU')).toBe(isOffered)
  })

  it('explains a missing graphics adapter', async () => {
    const outcome = await selectBackend('webgpu').catch((error: unknown) => error)
    if (outcome instanceof Error) {
      expect(outcome).toBeInstanceOf(BackendUnavailableError)
      expect((outcome as BackendUnavailableError).backend).toBe('webgpu')
      expect(outcome.message).toMatch(/choose the CPU/)
    }
    await selectBackend('cpu')
  })
})
