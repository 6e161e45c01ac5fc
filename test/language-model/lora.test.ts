import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import * as tf from '@tensorflow/tfjs-core'
import { afterEach, describe, expect, test } from 'vitest'
import { AdapterSet } from '../../src/language-model/lora/adapter-set.ts'
import { LoraError, type LoraOptions } from '../../src/language-model/lora/options.ts'
import { memoryReader } from '../../src/language-model/files/model-reader.ts'
import { LanguageModel } from '../../src/language-model/language-model.ts'
import { dropout } from '../../src/language-model/ops/index.ts'
import { PROJECTIONS } from '../../src/language-model/weights/projection-names.ts'
import { randomStream } from '../../src/language-model/sampling/random-stream.ts'
import { readSafetensors } from '../../src/language-model/files/safetensors.ts'
import { Trainer } from '../../src/language-model/training/trainer.ts'
import type { Transformer } from '../../src/language-model/transformer.ts'
import {
  FIXTURES,
  fixtureFolder,
  type FixtureName,
  gradientsOf,
  largestDifference,
  loadFixture,
  logitsOf,
  readReference,
  relativeError,
} from './fixtures.ts'
import { BACKENDS, tinyModel, useBackend } from './tiny-model.ts'

const SOME = { rank: 4, alpha: 8, dropout: 0, targets: ['q_proj', 'v_proj'] } as const

/** Attaches the adapters that PEFT saved. */
function peftAdapters(model: Transformer, name: FixtureName, changed: Partial<LoraOptions> = {}): AdapterSet {
  const read = (file: string) => readFileSync(join(fixtureFolder(name), 'adapter', file))
  const config = JSON.parse(read('adapter_config.json').toString()) as {
    r: number
    lora_alpha: number
    target_modules: LoraOptions['targets']
  }
  const { r: rank, lora_alpha: alpha, target_modules: targets } = config
  const set = new AdapterSet(model, { rank, alpha, dropout: 0, targets, ...changed }, 0)
  const { tensors } = readSafetensors(read('adapter_model.safetensors'), name)
  expect([...set.parameters.keys()].sort()).toEqual([...tensors.keys()].sort())
  for (const [path, variable] of set.parameters)
    tf.tidy(() => variable.assign(tf.tensor(tensors.get(path)!.values, variable.shape)))
  return set
}

let model: Transformer | undefined
let adapters: AdapterSet | undefined

afterEach(() => {
  adapters?.detach()
  model?.dispose()
  model = adapters = undefined
})

const weightsOf = (of: Transformer) =>
  new Map(Array.from(of.parameters, ([name, variable]) => [name, variable.dataSync<'float32'>().slice()] as const))

describe.each(BACKENDS)('low-rank adapters on %s', (backend) => {
  describe.each(FIXTURES)('%s', (name) => {
    test('have the logits of PEFT, merged or not', async () => {
      await useBackend(backend)
      model = await loadFixture(name)
      const reference = readReference(name, 'reference-lora.safetensors')
      const plain = logitsOf(model, reference.tokens)
      expect(largestDifference(plain, reference.logits)).toBeGreaterThan(0.1)
      adapters = peftAdapters(model, name)
      expect(largestDifference(logitsOf(model, reference.tokens), reference.logits)).toBeLessThan(3e-5)
      for (const { weight, adapter } of model.projections.values())
        tf.tidy(() => weight.assign(adapter!.mergedWeight()))
      adapters.detach()
      adapters = undefined
      expect(largestDifference(logitsOf(model, reference.tokens), reference.logits)).toBeLessThan(3e-5)
    })

    test.each([false, true])('have the gradients of PEFT, activations recomputed: %s', async (recomputed) => {
      await useBackend(backend)
      model = await loadFixture(name)
      adapters = peftAdapters(model, name)
      const reference = readReference(name, 'reference-lora.safetensors')
      const { loss, gradients } = await gradientsOf(model, reference, recomputed)
      expect(loss).toBeCloseTo(reference.loss, 4)
      expect([...gradients.keys()].sort()).toEqual([...reference.gradients.keys()].sort())
      expect(gradients.size).toBe(2 * PROJECTIONS.length * model.config.layers)
      for (const [parameter, { values }] of reference.gradients)
        expect(relativeError(gradients.get(parameter)!, values), parameter).toBeLessThan(1e-4)
    })
  })
})

describe('adapters of a model', () => {
  test('change nothing at first, and depend only on the seed', async () => {
    await useBackend('simd')
    model = await loadFixture('qwen3')
    const { tokens } = readReference('qwen3')
    const plain = logitsOf(model, tokens)
    const before = tf.memory().numTensors
    const starts = [5, 5, 6].map((seed) => {
      const set = new AdapterSet(model!, SOME, seed)
      expect(logitsOf(model!, tokens)).toEqual(plain)
      const start = Array.from(set.parameters.values(), (variable) => variable.dataSync<'float32'>().slice())
      set.detach()
      return start
    })
    expect(tf.memory().numTensors).toBe(before)
    expect(starts[0]).toEqual(starts[1])
    expect(starts[0]).not.toEqual(starts[2])
    expect([...model.parameters.values()].every(({ trainable }) => trainable)).toBe(true)
  })

  test('are the only parameters that an update changes', async () => {
    await useBackend('simd')
    model = await loadFixture('llama')
    adapters = new AdapterSet(model, SOME, 1)
    const before = weightsOf(model)
    const trainer = new Trainer(model, 4096, true)
    const examples = [{ prompt: Int32Array.of(3, 4), response: Int32Array.of(9, 8, 7) }]
    const losses: number[] = []
    for (let step = 0; step < 30; step++) losses.push((await trainer.fit(examples, { learningRate: 0.02 })).loss)
    expect(losses.at(-1)).toBeLessThan(0.3 * losses[0]!)
    expect(weightsOf(model)).toEqual(before)
    expect([...trainer.moments.keys()].sort()).toEqual([...adapters.parameters.keys()].sort())
    trainer.dispose()
  })

  test('are attached once', async () => {
    await useBackend('simd')
    model = await loadFixture('qwen3')
    adapters = new AdapterSet(model, SOME, 1)
    expect(() => new AdapterSet(model!, SOME, 1)).toThrow('already has adapters')
  })

  test('drop the same features when activations are recomputed, and others in the next step', async () => {
    await useBackend('simd')
    model = await loadFixture('qwen2')
    adapters = peftAdapters(model, 'qwen2', { dropout: 0.3 })
    const reference = readReference('qwen2', 'reference-lora.safetensors')
    const kept = await gradientsOf(model, reference, false)
    expect(await gradientsOf(model, reference, true)).toEqual(kept)
    expect(Math.abs(kept.loss - reference.loss)).toBeGreaterThan(1e-3)
    // No dropout outside training.
    expect(largestDifference(logitsOf(model, reference.tokens), reference.logits)).toBeLessThan(3e-5)
    const trainer = new Trainer(model, 4096)
    const examples = [{ prompt: reference.tokens.slice(0, 4), response: reference.tokens.slice(4, 20) }]
    const { loss: first } = await trainer.fit(examples, { learningRate: 0 })
    const { loss: second } = await trainer.fit(examples, { learningRate: 0 })
    expect(first).not.toBe(second)
    trainer.dispose()
  })

  test('keep the mean under dropout, whose gradient follows the mask', async () => {
    await useBackend('simd')
    const x = tf.ones<tf.Rank.R2>([200, 50])
    const [y, dx] = [
      dropout(x, 0.25, randomStream(3)),
      tf.grad((input) => tf.sum(dropout(input as tf.Tensor2D, 0.25, randomStream(3))))(x),
    ]
    const values = y.dataSync<'float32'>()
    expect(new Set(values)).toEqual(new Set([0, Math.fround(4 / 3)]))
    expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(1, 1)
    expect(dx.dataSync()).toEqual(values)
    tf.dispose([x, y, dx])
  })
})

describe('a language model with adapters', () => {
  const examples = [{ prompt: Int32Array.of(3, 4), response: Int32Array.of(9, 8, 7) }]

  test('saves and loads checkpoints of only the adapters, with their moments', async () => {
    await useBackend('simd')
    const [trained, other] = [await tinyModel(), await tinyModel()]
    const full = (await trained.saveCheckpoint()).length
    const all = trained.trainedParameterCount
    for (const one of [trained, other]) await one.attachAdapters({ ...SOME, dropout: 0.1 }, one === trained ? 1 : 2)
    expect(trained.trainedParameterCount).toBeLessThan(all / 4)
    for (let step = 0; step < 3; step++) await trained.fit(examples, { learningRate: 0.01 })
    const checkpoint = await trained.saveCheckpoint()
    expect(checkpoint.length).toBeLessThan(full)
    const expected = await trained.fit(examples, { learningRate: 0.01 })
    await other.loadCheckpoint(checkpoint)
    expect(await other.saveCheckpoint()).toEqual(checkpoint)
    expect(await other.fit(examples, { learningRate: 0.01 })).toEqual(expected)
    const bare = await tinyModel()
    await expect(bare.loadCheckpoint(checkpoint)).rejects.toThrow('lack model.embed_tokens.weight')
    await expect(other.attachAdapters(SOME, 1)).rejects.toThrow(LoraError)
    await Promise.all([trained.dispose(), other.dispose(), bare.dispose()])
  })

  test('writes a folder with the adapters merged in', async () => {
    await useBackend('simd')
    const before = tf.memory().numTensors
    const one = await tinyModel()
    const plain = await one.saveFolder()
    await one.attachAdapters(SOME, 1)
    expect(await one.saveFolder()).toEqual(plain)
    for (let step = 0; step < 5; step++) await one.fit(examples, { learningRate: 0.05 })
    const merged = await LanguageModel.load(memoryReader('merged', await one.saveFolder()), 'selected')
    const [[here], [there]] = [await one.logProbs(examples, 1), await merged.logProbs(examples, 1)]
    expect(largestDifference(there!, here!)).toBeLessThan(1e-4)
    await Promise.all([one.dispose(), merged.dispose()])
    expect(tf.memory().numTensors).toBe(before)
  })
})
