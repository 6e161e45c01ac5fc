import * as tf from '@tensorflow/tfjs-core'
import { describe, expect, test } from 'vitest'
import { newNode } from '../../src/language-model/prefix-tree.ts'
import { randomStream } from '../../src/language-model/sampling/random-stream.ts'
import { attentionLayout, viewOf } from '../../src/language-model/training/segments.ts'
import { naiveLogits } from './naive-transformer.ts'
import { BACKENDS, PLAIN, randomTokens, tinyTransformer, useBackend, VARIANTS } from './tiny-model.ts'

describe.each(BACKENDS)('transformer on %s', (backend) => {
  test.each(Object.entries(VARIANTS))('gives the logits of a plain loop implementation: %s', async (_, configJson) => {
    await useBackend(backend)
    const { transformer, weights } = tinyTransformer(configJson)
    const tokens = randomTokens(randomStream(3), 13)
    const node = newNode(newNode(null, new Int32Array(0), 0, 0), tokens, 0, 0)
    const batch = {
      tokens,
      positions: Int32Array.from(tokens, (_, i) => i),
      layout: attentionLayout([{ view: viewOf(node, new Map()), firstSlot: 0, length: tokens.length }]),
    }
    const logits = tf.tidy(() => transformer.logits(transformer.hidden(batch, null)).arraySync())
    const some = tf.tidy(() => transformer.logits(transformer.hidden(batch, Int32Array.of(4, 12))).arraySync())
    transformer.dispose()
    const expected = naiveLogits(transformer.config, weights, tokens)
    for (const [n, row] of expected.entries())
      for (const [token, value] of row.entries()) expect(logits[n]![token]).toBeCloseTo(value, 4)
    for (const [i, n] of [4, 12].entries())
      for (const [token, value] of expected[n]!.entries()) expect(some[i]![token]).toBeCloseTo(value, 4)
  })

  test('stretches low rotary frequencies like Llama 3', async () => {
    await useBackend(backend)
    const scaled = {
      ...PLAIN,
      rope_scaling: {
        rope_type: 'llama3',
        factor: 8,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 64,
      },
    }
    const { transformer } = tinyTransformer(scaled)
    const { inverseFrequencies } = await import('../../src/language-model/files/config.ts')
    transformer.dispose()
    // Head of 4: frequencies 1 and 0.01; 64 positions are 10.2 turns of the first (kept) and 0.1 of the second (stretched).
    expect(Array.from(inverseFrequencies(transformer.config))).toEqual([1, Math.fround(0.01 / 8)])
  })
})
