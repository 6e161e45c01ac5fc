/** The tiny models of scripts/reference/make_transformer_fixtures.py, with the results of Hugging Face's transformers and PEFT. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as tf from '@tensorflow/tfjs-core'
import { expect } from 'vitest'
import { parseModelConfig } from '../../src/language-model/files/config.ts'
import { folderReader } from '../../src/language-model/files/folder-reader.ts'
import { loadTransformer } from '../../src/language-model/files/load-transformer.ts'
import { newNode } from '../../src/language-model/prefix-tree.ts'
import { type NamedTensor, readSafetensors } from '../../src/language-model/files/safetensors.ts'
import { attentionLayout, viewOf } from '../../src/language-model/training/segments.ts'
import { Trainer } from '../../src/language-model/training/trainer.ts'
import type { RaggedBatch, Transformer } from '../../src/language-model/transformer.ts'

export const FIXTURES = ['llama', 'qwen2', 'qwen3'] as const
export type FixtureName = (typeof FIXTURES)[number]

export const fixtureFolder = (name: FixtureName): string => join(import.meta.dirname, 'fixtures', name)

export function loadFixture(name: FixtureName): Promise<Transformer> {
  const folder = fixtureFolder(name)
  const config = parseModelConfig(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')), name)
  return loadTransformer(folderReader(folder), config)
}

export interface Reference {
  tokens: Int32Array
  targets: Int32Array
  /** [T, V] */
  logits: Float32Array
  loss: number
  gradients: Map<string, NamedTensor>
}

export function readReference(name: FixtureName, file = 'reference.safetensors'): Reference {
  const read = (from: string) => readSafetensors(readFileSync(join(fixtureFolder(name), from)), from)
  const plain = read('reference.safetensors').tensors
  const { tensors, metadata } = read(file)
  return {
    tokens: Int32Array.from(plain.get('tokens')!.values),
    targets: Int32Array.from(plain.get('targets')!.values),
    logits: tensors.get('logits')!.values,
    loss: Number(metadata.loss),
    gradients: new Map(
      Array.from(tensors)
        .filter(([key]) => key.startsWith('gradient.'))
        .map(([key, tensor]) => [key.slice('gradient.'.length), tensor]),
    ),
  }
}

/** One sequence as a batch. */
export function sequence(tokens: Int32Array): RaggedBatch {
  const node = newNode(newNode(null, new Int32Array(0), 0, 0), tokens, 0, 0)
  return {
    tokens,
    positions: Int32Array.from(tokens, (_, i) => i),
    layout: attentionLayout([{ view: viewOf(node, new Map()), firstSlot: 0, length: tokens.length }]),
  }
}

export function logitsOf(model: Transformer, tokens: Int32Array): Float32Array {
  return tf.tidy(() =>
    model
      .logits(model.hidden(sequence(tokens), null))
      .dataSync<'float32'>()
      .slice(),
  )
}

/**
 * Gradients of the mean negative log-likelihood of the targets. Each target is one example: its response is the target, its prompt the
 * tokens up to its position.
 */
export async function gradientsOf(
  model: Transformer,
  { tokens, targets }: Pick<Reference, 'tokens' | 'targets'>,
  recomputeActivations = false,
): Promise<{ loss: number; gradients: Map<string, Float32Array> }> {
  const trainer = new Trainer(model, 4096, recomputeActivations)
  const examples = Array.from(targets, (target, i) => ({
    prompt: tokens.slice(0, i + 1),
    response: Int32Array.of(target),
  }))
  const { gradients, sums } = await trainer.gradients(examples, 1, (logProbs) => {
    const loss = tf.neg<tf.Scalar>(tf.mean(logProbs))
    return { loss, sums: tf.reshape<tf.Rank.R1>(loss, [1]) }
  })
  const values = new Map(
    Array.from(gradients, ([name, gradient]) => [name, gradient.dataSync<'float32'>().slice()] as const),
  )
  tf.dispose([...gradients.values()])
  trainer.dispose()
  return { loss: sums[0]!, gradients: values }
}

/** ‖actual − expected‖ / ‖expected‖ */
export function relativeError(actual: Float32Array, expected: Float32Array): number {
  expect(actual.length).toBe(expected.length)
  let difference = 0
  let size = 0
  for (let i = 0; i < expected.length; i++) {
    difference += (actual[i]! - expected[i]!) ** 2
    size += expected[i]! ** 2
  }
  return Math.sqrt(difference / size)
}

export function largestDifference(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length)
  return a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i]!)), 0)
}
