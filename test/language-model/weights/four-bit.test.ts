/** Weights in four bits compute what a float model of the same, rounded weights computes, in a fraction of its memory. */
import * as tf from '@tensorflow/tfjs-core'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { SimdBackend } from '../../../src/language-model/backends/simd/simd-backend.ts'
import { parseModelConfig } from '../../../src/language-model/files/config.ts'
import { LanguageModel } from '../../../src/language-model/language-model.ts'
import { loadTransformer } from '../../../src/language-model/files/load-transformer.ts'
import { AdapterSet } from '../../../src/language-model/lora/adapter-set.ts'
import { memoryReader, type ModelReader } from '../../../src/language-model/files/model-reader.ts'
import { parameterShapes } from '../../../src/language-model/weights/parameters.ts'
import { PROJECTIONS } from '../../../src/language-model/weights/projection-names.ts'
import { randomStream } from '../../../src/language-model/sampling/random-stream.ts'
import { readSafetensors, writeSafetensors } from '../../../src/language-model/files/safetensors.ts'
import { Transformer } from '../../../src/language-model/transformer.ts'
import {
  fourBitBlocks,
  floatsOfBlocks,
  isFourBitShape,
  weightBytes,
} from '../../../src/language-model/weights/weight-storage.ts'
import { gradientsOf, largestDifference, logitsOf, relativeError } from '../fixtures.ts'
import { PLAIN, randomTokens, tinyModel, tinyTokenizerJson, tinyTransformer, useBackend } from '../tiny-model.ts'

/** Rows are whole groups, except in the down projection, whose rows are half a group too long. */
const WIDE = { ...PLAIN, hidden_size: 64, head_dim: 16, intermediate_size: 144, vocab_size: 99, attention_bias: true }
const LORA = { rank: 4, alpha: 8, dropout: 0, targets: PROJECTIONS } as const
const encoded = (value: object) => new TextEncoder().encode(JSON.stringify(value))

function folderOf(configJson: object, weights: ReadonlyMap<string, Float32Array>): ModelReader {
  const shapes = parameterShapes(parseModelConfig(configJson, 'tiny'))
  const tensors = new Map(shapes.map(({ name, shape }) => [name, { shape: [...shape], values: weights.get(name)! }]))
  return memoryReader('tiny', {
    'config.json': encoded(configJson),
    'tokenizer.json': encoded(tinyTokenizerJson()),
    'model.safetensors': writeSafetensors({ metadata: {}, tensors }),
  })
}

/** The weights after rounding to four bits. */
function rounded(configJson: object, weights: ReadonlyMap<string, Float32Array>): Map<string, Float32Array> {
  const shapes = parameterShapes(parseModelConfig(configJson, 'tiny'))
  return new Map(
    shapes.map(({ name, shape }) => {
      const values = weights.get(name)!
      return [name, isFourBitShape(shape) ? floatsOfBlocks(fourBitBlocks(values, shape as [number, number])) : values]
    }),
  )
}

function weightsOf(configJson: object): Map<string, Float32Array> {
  const { transformer, weights } = tinyTransformer(configJson)
  transformer.dispose()
  return weights
}

/** Adapters with B ≠ 0, so that A has a gradient. */
function adaptersOn(model: Transformer): AdapterSet {
  const adapters = new AdapterSet(model, LORA, 3)
  const uniform = randomStream(8)
  for (const [name, variable] of adapters.parameters) {
    if (!name.includes('lora_B')) continue
    const values = Float32Array.from({ length: variable.size }, () => 0.2 * (uniform() - 0.5))
    tf.tidy(() => variable.assign(tf.tensor(values, variable.shape)))
  }
  return adapters
}

let models: { dispose(): unknown }[] = []
afterEach(async () => {
  for (const model of models) await model.dispose()
  models = []
})

describe.each(['simd', 'cpu'])('a model in four bits on %s', (backend) => {
  test.each([
    ['tied', WIDE],
    ['with an output layer of its own', { ...WIDE, tie_word_embeddings: false, vocab_size: 300 }],
  ])('has the logits and adapter gradients of its float copy: %s', async (_kind, configJson) => {
    await useBackend(backend)
    const weights = weightsOf(configJson)
    const config = parseModelConfig(configJson, 'tiny')
    const fourBit = await loadTransformer(folderOf(configJson, weights), config, 'four-bit')
    const floats = new Transformer(config, rounded(configJson, weights))
    const original = new Transformer(config, weights)
    models.push(fourBit, floats, original)
    const tokens = randomTokens(randomStream(4), 14, config.vocabularySize)
    const logits = logitsOf(floats, tokens)
    expect(largestDifference(logitsOf(fourBit, tokens), logits)).toBeLessThan(1e-4)
    expect(largestDifference(logitsOf(original, tokens), logits)).toBeGreaterThan(0.01)
    // One token uses other kernels.
    expect(largestDifference(logitsOf(fourBit, tokens.slice(0, 1)), logitsOf(floats, tokens.slice(0, 1)))).toBeLessThan(
      1e-4,
    )
    const adapters = [adaptersOn(fourBit), adaptersOn(floats)]
    const asked = { tokens, targets: randomTokens(randomStream(5), 14, config.vocabularySize) }
    for (const recomputed of [false, true]) {
      const [actual, expected] = [
        await gradientsOf(fourBit, asked, recomputed),
        await gradientsOf(floats, asked, recomputed),
      ]
      expect(actual.loss).toBeCloseTo(expected.loss, 5)
      expect(actual.gradients.size).toBe(2 * PROJECTIONS.length * config.layers)
      for (const [name, gradient] of expected.gradients) {
        expect(Math.hypot(...gradient), name).toBeGreaterThan(0)
        expect(relativeError(actual.gradients.get(name)!, gradient), name).toBeLessThan(1e-4)
      }
    }
    for (const set of adapters) set.detach()
    expect([...fourBit.parameters.values()].some(({ trainable }) => trainable)).toBe(false)
  })
})

describe('weights in four bits', () => {
  /** Rows beyond a tile of the kernels, and beyond their registers. */
  test('multiply like their floats, for random shapes', async () => {
    await useBackend('simd')
    const backend = tf.backend() as SimdBackend
    const shape = fc.record({
      rows: fc.constantFrom(1, 2, 3, 4, 5, 7, 50),
      outputs: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(255, 256, 257, 600)),
      groups: fc.integer({ min: 1, max: 12 }),
      seed: fc.nat(),
    })
    fc.assert(
      fc.property(shape, ({ rows, outputs, groups, seed }) =>
        tf.tidy(() => {
          const inputs = 32 * groups
          const uniform = randomStream(seed)
          const random = (size: number) => Float32Array.from({ length: size }, () => uniform() - 0.5)
          const blocks = fourBitBlocks(random(outputs * inputs), [outputs, inputs])
          const floats = tf.tensor2d(floatsOfBlocks(blocks), [outputs, inputs])
          const weight = tf.tensor2d(floatsOfBlocks(blocks), [outputs, inputs])
          expect(backend.keepFourBit(weight, blocks)).toBe(true)
          const x = tf.tensor2d(random(rows * inputs), [rows, inputs])
          const dy = tf.tensor2d(random(rows * outputs), [rows, outputs])
          for (const of of [
            (w: tf.Tensor2D) => tf.matMul(x, w, false, true),
            (w: tf.Tensor2D) => tf.matMul(dy, w),
            (w: tf.Tensor2D) => w,
          ])
            expect(largestDifference(of(weight).dataSync<'float32'>(), of(floats).dataSync<'float32'>())).toBeLessThan(
              2e-5,
            )
        }),
      ),
      { numRuns: 60 },
    )
  })

  test('take 0.16 of the memory, also after their floats were read', async () => {
    await useBackend('simd')
    const { allocator } = tf.backend() as SimdBackend
    const configJson = { ...WIDE, intermediate_size: 256, vocab_size: 4096 }
    const weights = weightsOf(configJson)
    const config = parseModelConfig(configJson, 'tiny')
    const measured = async (storage: 'float32' | 'four-bit') => {
      const before = allocator.bytesInUse
      const model = await LanguageModel.load(folderOf(configJson, weights), 'selected', { storage })
      models.push(model)
      const loaded = allocator.bytesInUse - before
      await model.generate([{ prompt: Int32Array.of(5, 6), count: 1, seed: 1 }], {
        temperature: 1,
        topP: 1,
        maxTokens: 3,
      })
      return { model, loaded, before }
    }
    const float = await measured('float32')
    const fourBit = await measured('four-bit')
    expect(fourBit.loaded / float.loaded).toBeGreaterThan(0.155)
    expect(fourBit.loaded / float.loaded).toBeLessThan(0.165)
    for (const [{ loaded }, storage] of [
      [float, 'float32'],
      [fourBit, 'four-bit'],
    ] as const) {
      expect(loaded / weightBytes(config, storage)).toBeGreaterThan(0.99)
      expect(loaded / weightBytes(config, storage)).toBeLessThan(1.01)
    }
    await fourBit.model.attachAdapters({ ...LORA, targets: ['q_proj', 'down_proj'] }, 1)
    const names = [...fourBit.model.changingWeights.keys()]
    // Adapters enter the backend's memory on first use.
    await fourBit.model.readWeights(names)
    const kept = allocator.bytesInUse
    expect(names).toHaveLength(4)
    const read = await fourBit.model.readWeights(names)
    await fourBit.model.saveFolder()
    expect(allocator.bytesInUse).toBe(kept)
    const expected = rounded(configJson, weights)
    for (const name of names) expect(read.get(name)).toEqual(expected.get(name))
  })

  test('train only adapters, which merge into saved weights', async () => {
    await useBackend('simd')
    const configJson = { ...WIDE, intermediate_size: 96, vocab_size: 270 }
    const weights = weightsOf(configJson)
    const model = await LanguageModel.load(folderOf(configJson, weights), 'selected', { storage: 'four-bit' })
    models.push(model)
    const examples = [{ prompt: Int32Array.of(3, 4), response: Int32Array.of(9, 8, 7) }]
    await expect(model.fit(examples, { learningRate: 0.02 })).rejects.toThrow(/frozen, as four-bit weights are/)
    const untouched = await model.saveCheckpoint()
    expect(readSafetensors(untouched, 'empty').tensors.size).toBe(0)
    await model.loadCheckpoint(untouched)
    const other = await tinyModel()
    models.push(other)
    await expect(model.loadCheckpoint(await other.saveCheckpoint())).rejects.toThrow(/stores its weights in four bits/)

    const [base] = await model.logProbs(examples, 1)
    await model.attachAdapters({ ...LORA, targets: ['q_proj', 'v_proj', 'down_proj'] }, 1)
    const losses: number[] = []
    for (let step = 0; step < 30; step++) losses.push((await model.fit(examples, { learningRate: 0.02 })).loss)
    expect(losses.at(-1)).toBeLessThan(0.3 * losses[0]!)
    const [before] = await model.logProbs(examples, 1)
    const merged = await LanguageModel.load(memoryReader('merged', await model.saveFolder()), 'selected')
    models.push(merged)
    const [after] = await merged.logProbs(examples, 1)
    expect(largestDifference(after!, before!)).toBeLessThan(1e-4)
    expect(largestDifference(base!, before!)).toBeGreaterThan(0.1)
  })

  test('keep a block of codes and a scale for every group', () => {
    const weights = Float32Array.from({ length: 64 }, (_, i) => (i < 32 ? i - 16 : (i - 40) / 8))
    const blocks = fourBitBlocks(weights, [1, 64])
    expect(blocks.length).toBe(10)
    const back = floatsOfBlocks(blocks)
    for (const [i, value] of weights.entries()) {
      const scale = i < 32 ? 16 / 7 : 23 / 8 / 7
      expect(Math.abs(back[i]! - value)).toBeLessThanOrEqual(scale / 2 + 1e-6)
    }
  })
})
