import * as tf from '@tensorflow/tfjs-core'
import { afterEach, describe, expect, test } from 'vitest'
import type { Transformer } from '../../src/language-model/transformer.ts'
import {
  FIXTURES,
  gradientsOf,
  largestDifference,
  loadFixture,
  logitsOf,
  readReference,
  relativeError,
} from './fixtures.ts'
import { BACKENDS, useBackend } from './tiny-model.ts'

let model: Transformer | undefined

afterEach(() => {
  model?.dispose()
  model = undefined
})

describe.each(BACKENDS)('a Hugging Face checkpoint on %s', (backend) => {
  describe.each(FIXTURES)('%s', (name) => {
    test('has the logits of transformers', async () => {
      await useBackend(backend)
      model = await loadFixture(name)
      const reference = readReference(name)
      const scale = reference.logits.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0)
      expect(scale).toBeGreaterThan(1)
      expect(largestDifference(logitsOf(model, reference.tokens), reference.logits)).toBeLessThan(3e-5)
    })

    test.each([false, true])('has the gradients of PyTorch, activations recomputed: %s', async (recomputed) => {
      await useBackend(backend)
      model = await loadFixture(name)
      const reference = readReference(name)
      const { loss, gradients } = await gradientsOf(model, reference, recomputed)
      expect(loss).toBeCloseTo(reference.loss, 4)
      expect(reference.gradients.size).toBeGreaterThanOrEqual(5)
      for (const [parameter, { values }] of reference.gradients)
        expect(relativeError(gradients.get(parameter)!, values), parameter).toBeLessThan(1e-4)
    })
  })
})

describe('recomputed activations', () => {
  test.each(FIXTURES)('give bit-identical gradients and leak no memory: %s', async (name) => {
    await useBackend('simd')
    model = await loadFixture(name)
    const reference = readReference(name)
    const tensors = tf.memory().numTensors
    const kept = await gradientsOf(model, reference, false)
    const recomputed = await gradientsOf(model, reference, true)
    expect(tf.memory().numTensors).toBe(tensors)
    expect(recomputed.loss).toBe(kept.loss)
    expect([...recomputed.gradients.keys()].sort()).toEqual([...model.parameters.keys()].sort())
    for (const [parameter, values] of kept.gradients)
      expect(recomputed.gradients.get(parameter), parameter).toEqual(values)
  })

  test('have gradients only for what is trained', async () => {
    await useBackend('simd')
    model = await loadFixture('qwen2')
    for (const [path, parameter] of model.parameters) parameter.trainable = path.includes('layers.1.mlp')
    const some = await gradientsOf(model, readReference('qwen2'), true)
    expect([...some.gradients.keys()]).toEqual(['gate', 'up', 'down'].map((p) => `model.layers.1.mlp.${p}_proj.weight`))
    for (const parameter of model.parameters.values()) parameter.trainable = true
    const all = await gradientsOf(model, readReference('qwen2'), false)
    for (const [path, values] of some.gradients) expect(values, path).toEqual(all.gradients.get(path))
  })
})
