/** All layers in one call compute what the single operations compute, bit for bit. */
import * as tf from '@tensorflow/tfjs-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AdapterSet } from '../../../src/language-model/lora/adapter-set.ts'
import type { AttentionLayout } from '../../../src/language-model/ops/index.ts'
import { KeyValueCache } from '../../../src/language-model/sampling/kv-cache.ts'
import { randomStream } from '../../../src/language-model/sampling/random-stream.ts'
import type { RaggedBatch, Transformer } from '../../../src/language-model/transformer.ts'
import { PROJECTIONS, type ProjectionName } from '../../../src/language-model/weights/projection-names.ts'
import { PLAIN, randomTokens, tinyTransformer, useBackend, VARIANTS } from '../tiny-model.ts'

const CONFIGS = { ...VARIANTS, 'one layer': { ...PLAIN, num_hidden_layers: 1 } }
const SLOTS = 40

/** A prompt of 12 tokens in slots 0 to 11, then two branches of it. */
const PROMPT = batch(1, 12, { segmentStart: [0], spans: [[]], querySegment: Array<number>(12).fill(0), firstSlot: 0 })
const BRANCHES = batch(13, 6, {
  segmentStart: [20, 24],
  spans: [[[0, 12]], [[0, 9]]],
  querySegment: [0, 0, 0, 0, 1, 1],
  firstSlot: 20,
})

let model: Transformer
let cache: KeyValueCache

beforeEach(() => useBackend('simd'))

afterEach(() => {
  model.dispose()
  cache.dispose()
})

describe.each(Object.entries(CONFIGS))('%s', (_, config) => {
  test.each([
    ['all rows', null],
    ['some rows', [1, 4, 5]],
    ['no row', []],
  ])('%s', (__, outputRows) => {
    const rows = outputRows && Int32Array.from(outputRows)
    const single = withoutKernel(() => hiddenStates(config, rows))
    const together = hiddenStates(config, rows)
    expect(together.outputs.map(({ length }) => length)).toEqual([12 * 16, (rows?.length ?? 6) * 16])
    expect(together).toEqual(single)
  })
})

test.each([
  ['some projections', ['q_proj', 'v_proj', 'o_proj'], 4],
  ['every projection', PROJECTIONS, 3],
] as const)('adapters: %s', (_, targets, rank) => {
  const adapted = () => hiddenStates(VARIANTS['biases as in Qwen2.5'], null, () => attach(targets, rank))
  const plain = hiddenStates(VARIANTS['biases as in Qwen2.5'], null)
  model.dispose()
  cache.dispose()
  const single = withoutKernel(adapted)
  const together = adapted()
  expect(together).toEqual(single)
  expect(together).not.toEqual(plain)
})

/** B starts at 0. */
function attach(targets: readonly ProjectionName[], rank: number): void {
  const uniform = randomStream(5, 0)
  for (const variable of new AdapterSet(model, { rank, alpha: 8, dropout: 0, targets }, 1).parameters.values())
    variable.assign(
      tf.tensor(
        Float32Array.from({ length: variable.size }, () => uniform() - 0.5),
        variable.shape,
      ),
    )
}

test('a slot outside the cache is an error', () => {
  start(PLAIN)
  const outside = {
    ...PROMPT,
    layout: { ...PROMPT.layout, querySlot: PROMPT.layout.querySlot.map((slot) => slot + SLOTS) },
  }
  expect(() => tf.tidy(() => model.hidden(outside, null, cache))).toThrow('has no row 40')
})

function start(config: object): void {
  model = tinyTransformer(config, 3).transformer
  cache = new KeyValueCache(model.config)
  cache.grow(SLOTS)
}

/** Outputs of the prompt and of its branches, and the keys and values that they leave. */
function hiddenStates(
  config: object,
  rows: Int32Array | null,
  change: () => void = () => {},
): { outputs: Float32Array[]; cached: Float32Array[] } {
  start(config)
  change()
  const run = (part: RaggedBatch, outputRows: Int32Array | null) =>
    tf.tidy(() => model.hidden(part, outputRows, cache).dataSync<'float32'>())
  const outputs = [run(PROMPT, null), run(BRANCHES, rows)]
  const cached = cache.pools.flatMap(({ keys, values }) => [keys.dataSync<'float32'>(), values.dataSync<'float32'>()])
  return { outputs, cached }
}

function batch(
  firstPosition: number,
  length: number,
  parts: { segmentStart: number[]; spans: [number, number][][]; querySegment: number[]; firstSlot: number },
): RaggedBatch {
  const { segmentStart, spans, querySegment, firstSlot } = parts
  const layout: AttentionLayout = {
    querySegment: Int32Array.from(querySegment),
    querySlot: Int32Array.from({ length }, (_, i) => firstSlot + i),
    segmentStart: Int32Array.from(segmentStart),
    spanOffsets: Int32Array.from([0, ...spans.map((_, i) => spans.slice(0, i + 1).flat().length)]),
    spanStart: Int32Array.from(spans.flat(), ([from]) => from),
    spanLength: Int32Array.from(spans.flat(), ([, count]) => count),
  }
  return {
    tokens: randomTokens(randomStream(7, firstPosition), length),
    positions: Int32Array.from({ length }, (_, i) => firstPosition + i),
    layout,
  }
}

function withoutKernel<T>(work: () => T): T {
  const kernel = tf.getKernel('DecoderLayers', 'simd')
  tf.unregisterKernel('DecoderLayers', 'simd')
  try {
    const result = work()
    model.dispose()
    cache.dispose()
    return result
  } finally {
    tf.registerKernel(kernel)
  }
}
