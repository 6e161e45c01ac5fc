/** A tiny checkpoint and its training, for comparisons with WebGPU. Chromium's software adapter is slow. */
import type { Page } from 'playwright-core'
import { type NamedTensor, readSafetensors } from '../../src/language-model/files/safetensors.ts'
import { floatsOfBlocks, fourBitBlocks } from '../../src/language-model/weights/weight-storage.ts'
import type { GenerateRequest, TrainingExample, UpdateOptions } from '../../src/method/ports.ts'
import type { Matrix } from '../language-model/ops/on-both-backends.ts'
import { UPDATE_OPTIONS } from '../language-model/update-options.ts'

/** Every kind of parameter: grouped queries, biases, query and key norms, and a head tied to the embedding. */
export const CONFIG = {
  model_type: 'qwen3',
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 8,
  intermediate_size: 48,
  vocab_size: 64,
  attention_bias: true,
  tie_word_embeddings: true,
  max_position_embeddings: 128,
  eos_token_id: 1,
}
/** Two of the three examples below share a micro-batch and their prompt; the third has its own. */
export const SIZES = { microBatchTokens: 14, prefillTokens: 64 }

export const LORA = {
  rank: 4,
  alpha: 8,
  dropout: 0.25,
  targets: ['q_proj', 'o_proj', 'gate_proj', 'down_proj'] as const,
}

export const UPDATE: UpdateOptions = {
  ...UPDATE_OPTIONS,
  klCoefficient: 0.05,
  lossAggregation: 'seq-mean-token-mean',
  temperature: 0.8,
  updatesPerIteration: 1,
  weightDecay: 0.01,
}

export const opening = [2, 9, 4, 33, 17, 60]
const example = (prompt: number[], response: number[], oldLogProbs: number[], advantage: number): TrainingExample => ({
  prompt: Int32Array.from(prompt),
  response: Int32Array.from(response),
  oldLogProbs: Float32Array.from(oldLogProbs),
  advantage,
})
export const EXAMPLES = [
  example(opening, [21, 8, 40, 1], [-1.2, -0.9, -2.5, -1.6], 0.8),
  example(opening, [21, 13, 5], [-2, -1.4, -3], -1.1),
  example([7, 55, 3, 12], [30, 31, 9, 62, 1], [-2.2, -1.8, -3.5, -1, -2.7], 0.4),
]

/** A matrix after rounding to four bits. */
export const throughFourBits = ({ shape, values }: NamedTensor): Matrix => ({
  shape: [...shape],
  values: floatsOfBlocks(fourBitBlocks(values, shape as [number, number])),
})

export const requestsOf = (prompts: readonly (readonly number[])[], count = 1): GenerateRequest[] =>
  prompts.map((prompt) => ({ prompt: Int32Array.from(prompt), count, seed: 1 }))

/** Features of the page's adapter, or why there is none. */
export async function adapterOf(page: Page): Promise<{ features: string[]; missing: string | null }> {
  const found = await page.evaluate(async () => {
    const gpu = navigator.gpu as GPU | undefined
    const adapter = await gpu?.requestAdapter()
    return adapter ? Array.from<string>(adapter.features) : gpu ? 'WebGPU, but no adapter' : 'no WebGPU'
  })
  if (typeof found !== 'string') return { features: found, missing: null }
  return { features: [], missing: `This Chromium has ${found}, not even the software one.` }
}

/** The optimiser's first moments, by parameter. */
export function momentsOf(checkpoint: Uint8Array): Map<string, Float32Array> {
  const prefix = 'optimizer.exp_avg.'
  const moments = [...readSafetensors(checkpoint, 'updated').tensors].filter(([name]) => name.startsWith(prefix))
  return new Map(moments.map(([name, { values }]: [string, NamedTensor]) => [name.slice(prefix.length), values]))
}

/** Infinite if a number is NaN or missing. */
export function largestDifference(a: Float32Array, b: Float32Array): number {
  let largest = a.length === b.length ? 0 : Infinity
  a.forEach((value, i) => {
    const difference = Math.abs(value - b[i]!)
    largest = Number.isNaN(difference) ? Infinity : Math.max(largest, difference)
  })
  return largest
}

/** ‖a - b‖ / ‖a‖ */
export function relativeError(a: Float32Array, b: Float32Array): number {
  const norm = (values: Float32Array) => Math.hypot(...values)
  return norm(a.map((value, i) => value - b[i]!)) / norm(a)
}
