import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import * as tf from '@tensorflow/tfjs-core'
import { afterEach, describe, expect, test } from 'vitest'
import { folderReader } from '../../src/language-model/files/folder-reader.ts'
import { AdapterSet, writeAdapters } from '../../src/language-model/lora/adapter-set.ts'
import { adapterConfigJson, LoraError, parseAdapterConfig } from '../../src/language-model/lora/options.ts'
import { memoryReader } from '../../src/language-model/files/model-reader.ts'
import { dropout } from '../../src/language-model/ops/index.ts'
import { PROJECTIONS } from '../../src/language-model/weights/projection-names.ts'
import { randomStream } from '../../src/language-model/sampling/random-stream.ts'
import { readSafetensors, writeSafetensors } from '../../src/language-model/files/safetensors.ts'
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

const adapterReader = (name: FixtureName) => folderReader(join(fixtureFolder(name), 'adapter'))

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
      const before = weightsOf(model)
      const reference = readReference(name, 'reference-lora.safetensors')
      const plain = logitsOf(model, reference.tokens)
      expect(largestDifference(plain, reference.logits)).toBeGreaterThan(0.1)
      adapters = await AdapterSet.load(model, adapterReader(name))
      expect(largestDifference(logitsOf(model, reference.tokens), reference.logits)).toBeLessThan(3e-5)
      adapters.merge()
      expect(largestDifference(logitsOf(model, reference.tokens), reference.logits)).toBeLessThan(3e-5)
      adapters.unmerge()
      for (const [path, values] of weightsOf(model))
        expect(largestDifference(values, before.get(path)!), path).toBeLessThan(3e-7)
    })

    test.each([false, true])('have the gradients of PEFT, activations recomputed: %s', async (recomputed) => {
      await useBackend(backend)
      model = await loadFixture(name)
      adapters = await AdapterSet.load(model, adapterReader(name))
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
    adapters.merge()
    await expect(trainer.fit(examples, { learningRate: 0.02 })).rejects.toThrow('its adapters are merged')
    trainer.dispose()
  })

  test('load from the files that PEFT would read', async () => {
    await useBackend('simd')
    model = await loadFixture('qwen2')
    adapters = await AdapterSet.load(model, adapterReader('qwen2'))
    const files = await writeAdapters(adapters)
    const original = readFileSync(join(fixtureFolder('qwen2'), 'adapter', 'adapter_model.safetensors'))
    const written = readSafetensors(files['adapter_model.safetensors'], 'written').tensors
    expect(written).toEqual(readSafetensors(original, 'original').tensors)
    const { tokens } = readReference('qwen2')
    const logits = logitsOf(model, tokens)
    adapters.detach()
    adapters = await AdapterSet.load(model, memoryReader('again', files))
    expect(logitsOf(model, tokens)).toEqual(logits)
  })

  test('of another model are refused by name without changing the model', async () => {
    await useBackend('simd')
    model = await loadFixture('qwen3')
    await expect(AdapterSet.load(model, adapterReader('llama'))).rejects.toThrow(
      /q_proj\.lora_B\.weight has shape \[32, 4\] where the model requires \[64, 4\]/,
    )
    const [config, weights] = ['adapter_config.json', 'adapter_model.safetensors'].map((file) =>
      readFileSync(join(fixtureFolder('qwen3'), 'adapter', file)),
    ) as [Buffer, Buffer]
    const { tensors, metadata } = readSafetensors(weights, 'm')
    const [first, ...rest] = tensors
    const without = writeSafetensors({ metadata, tensors: new Map(rest) })
    const files = { 'adapter_config.json': config, 'adapter_model.safetensors': without }
    await expect(AdapterSet.load(model, memoryReader('m', files))).rejects.toThrow(`"m" lacks ${first![0]}`)
    const fewer = new TextEncoder().encode(
      JSON.stringify({ ...JSON.parse(config.toString()), target_modules: ['q_proj'] }),
    )
    const more = { 'adapter_config.json': fewer, 'adapter_model.safetensors': weights }
    await expect(AdapterSet.load(model, memoryReader('m', more))).rejects.toThrow('for which this model has no adapter')
    expect(model.trainableParameters().size).toBe(model.parameters.size)
    adapters = new AdapterSet(model, SOME, 1)
    expect(() => new AdapterSet(model!, SOME, 1)).toThrow('already has adapters')
  })

  test('drop the same features when activations are recomputed, and others in the next step', async () => {
    await useBackend('simd')
    model = await loadFixture('qwen2')
    adapters = await AdapterSet.load(model, adapterReader('qwen2'))
    const { tensors } = readSafetensors((await writeAdapters(adapters))['adapter_model.safetensors'], 'm')
    const options = { ...adapters.options, dropout: 0.3 }
    adapters.detach()
    adapters = new AdapterSet(model, options, 1)
    adapters.assign(tensors, 'm')
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
  const asked = [{ prompt: Int32Array.of(5, 6, 7, 8), count: 2, seed: 3 }]
  const sampling = { temperature: 1, topP: 1, maxTokens: 8 }

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
    await trained.detachAdapters('discard')
    await expect(trained.loadCheckpoint(checkpoint)).rejects.toThrow('lack model.embed_tokens.weight')
    await expect(other.attachAdapters(SOME, 1)).rejects.toThrow(LoraError)
    await Promise.all([trained.dispose(), other.dispose()])
  })

  test('writes a folder with the adapters merged in, and can merge or discard them', async () => {
    await useBackend('simd')
    const before = tf.memory().numTensors
    const one = await tinyModel()
    const plain = await one.saveFolder()
    await one.attachAdapters(SOME, 1)
    for (let step = 0; step < 5; step++) await one.fit(examples, { learningRate: 0.05 })
    const sampled = await one.generate(asked, sampling)
    const merged = await one.saveFolder()
    const files = await one.saveAdapters()
    await one.detachAdapters('discard')
    expect(await one.saveFolder()).toEqual(plain)
    await one.loadAdapters(memoryReader('saved', files))
    expect(await one.generate(asked, sampling)).toEqual(sampled)
    await one.detachAdapters('merge')
    expect(await one.saveFolder()).toEqual(merged)
    await expect(one.saveAdapters()).rejects.toThrow('has no adapters')
    await one.dispose()
    expect(tf.memory().numTensors).toBe(before)
  })
})

describe('adapter_config.json', () => {
  const config = { peft_type: 'LORA', r: 8, lora_alpha: 16, target_modules: ['v_proj', 'q_proj'] }

  test('is the same after writing and reading', () => {
    const options = { rank: 8, alpha: 12, dropout: 0.05, targets: ['q_proj', 'down_proj'] } as const
    expect(parseAdapterConfig(adapterConfigJson(options), 'm')).toEqual(options)
    expect(parseAdapterConfig({ ...config, target_modules: 'all-linear' }, 'm').targets).toEqual(PROJECTIONS)
    expect(parseAdapterConfig({ ...config, use_rslora: true }, 'm').alpha).toBeCloseTo(16 * Math.sqrt(8), 10)
  })

  test.each<[string, object, RegExp]>([
    ['another method', { peft_type: 'IA3' }, /is of type IA3/],
    ['DoRA', { use_dora: true }, /DoRA/],
    ['biases', { bias: 'all' }, /trains biases/],
    ['whole layers', { modules_to_save: ['lm_head'] }, /whole layers \(lm_head\)/],
    ['unknown layers', { target_modules: ['c_attn'] }, /changes "c_attn", which is not one of/],
    ['ranks by layer', { rank_pattern: { 'layers.1': 4 } }, /different ranks/],
    ['no rank', { r: 0 }, /r: /],
    ['nothing to change', { target_modules: [] }, /needs a projection/],
  ])('is refused for %s', (_, change, message) => {
    expect(() => parseAdapterConfig({ ...config, ...change }, 'm')).toThrow(LoraError)
    expect(() => parseAdapterConfig({ ...config, ...change }, 'm')).toThrow(message)
  })
})
