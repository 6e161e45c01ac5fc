/**
 * Training and generation with larger models in Node: beside the peers that can hold them, and with a four-bit base under adapters,
 * which only our engine has.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchShape } from '../../bench/bench-model.ts'
import { SMOLLM2_135M, TEN_MILLION } from '../../bench/gpu/model-sizes.ts'
import { measureSpeeds, type SpeedSizes } from '../../bench/gpu/model-speeds.ts'
import { randomModel } from '../../bench/gpu/random-model.ts'
import type { Measurement, Suite } from '../../bench/suite.ts'
import { shippedModel } from '../../roles/shipped-models.ts'
import {
  type Effort,
  GENERATE_SIZES,
  generateSuiteInNode,
  TFJS_PRODUCTS,
  TRAIN_SIZES,
  trainSuiteInNode,
} from './models.ts'

export const LARGER_MODELS = ['10m', '135m'] as const
export type LargerModel = (typeof LARGER_MODELS)[number]

const CONFIGS = { '10m': TEN_MILLION, '135m': SMOLLM2_135M }
/** Few, as a step takes seconds. */
const EFFORT: Effort = { rounds: 2, kernelMs: null }
/** Sequences trained on, and prompts sampled from. */
const SIZES = {
  '10m': { sequences: 4, length: 256, prompts: 16, promptLength: 64, sampled: 64 },
  '135m': { sequences: 1, length: 256, prompts: 8, promptLength: 64, sampled: 32 },
}
const PEAK = 512
const RANK = 16
/** How long to repeat the four-bit model. */
const FOUR_BIT_MS = 60_000

export async function largerModelSuite(name: 'train' | 'generate', size: LargerModel): Promise<Suite> {
  const { sequences, length, prompts, promptLength, sampled } = SIZES[size]
  const shape = shapeOf(CONFIGS[size])
  const inNode =
    name === 'train'
      ? await trainSuiteInNode(
          {
            reference: { shape, sequences, length },
            growth: { ...TRAIN_SIZES.growth, shapes: [], sequences: [], lengths: [] },
            peak: PEAK,
          },
          EFFORT,
          // With 135 M parameters its step would take minutes and more memory than WebAssembly has.
          size === '10m' ? TFJS_PRODUCTS.slice(1) : [],
        )
      : await generateSuiteInNode(
          {
            reference: { shape, prompts, promptLength, sampled },
            growth: {
              ...GENERATE_SIZES.growth,
              shapes: [],
              prompts: [],
              promptLengths: [],
              groups: [],
              evaluations: [],
            },
            peak: PEAK,
          },
          EFFORT,
        )
  const fourBit: SpeedSizes = {
    prompts: name === 'generate' ? [prompts] : [],
    promptLength,
    sampled,
    sequences: name === 'train' ? [sequences] : [],
    length,
    iterations: [],
  }
  return {
    ...inNode,
    async run(context) {
      await inNode.run(context)
      context.progress('Four bits with adapters')
      await measureFourBit(name, size, fourBit, context.report)
    },
  }
}

async function measureFourBit(
  name: 'train' | 'generate',
  size: LargerModel,
  sizes: SpeedSizes,
  report: (measurement: Measurement) => void,
): Promise<void> {
  const model = { name: size, configJson: CONFIGS[size], storage: 'four-bit', rank: RANK } as const
  const tokenizer = readFileSync(
    join(
      fileURLToPath(new URL('../../../public/models', import.meta.url)),
      shippedModel('household', 'policy'),
      'tokenizer.json',
    ),
  )
  await measureSpeeds({
    device: 'cpu',
    model,
    sizes,
    readModel: () => randomModel(model.configJson, tokenizer),
    callsOf: () => Promise.reject(new Error('No iteration is measured here.')),
    begin() {
      const ends = performance.now() + FOUR_BIT_MS
      return { leftMs: () => ends - performance.now() }
    },
    clock: () => performance.now(),
    report(record) {
      if (record.kind !== 'speed') return
      report({
        suite: name,
        name: name === 'train' ? 'training step, four bits with adapters' : 'generation, four bits with adapters',
        subject: 'simd',
        value: (record.tokens / record.ms) * 1000,
        unit: 'tokens/s',
        sizes: { model: size, size: record.sizes, rank: RANK },
        note: `${record.note}; the best call${record.isWarm ? '' : ', the only one'}`,
      })
    },
  })
}

function shapeOf(config: typeof SMOLLM2_135M): BenchShape {
  return {
    hiddenSize: config.hidden_size,
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    keyValueHeads: config.num_key_value_heads,
    intermediateSize: config.intermediate_size,
    vocabularySize: config.vocab_size,
  }
}
