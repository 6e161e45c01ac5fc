import { describe, expect, it } from 'vitest'
import {
  checkCheckpoint,
  estimateCheckpoint,
  refuseTooLarge,
  type CheckpointUse,
} from '../../../src/engines/transformer/memory.ts'
import { parseModelConfig } from '../../../src/language-model/files/config.ts'
import { PROJECTIONS } from '../../../src/language-model/weights/projection.ts'

/** As published: 134,515,008 weights. */
const SMOLLM2 = parseModelConfig(
  {
    model_type: 'llama',
    hidden_size: 576,
    num_hidden_layers: 30,
    num_attention_heads: 9,
    num_key_value_heads: 3,
    intermediate_size: 1536,
    vocab_size: 49_152,
    rope_theta: 100_000,
    rms_norm_eps: 1e-5,
    tie_word_embeddings: true,
    max_position_embeddings: 8192,
    eos_token_id: 2,
  },
  'SmolLM2-135M-Instruct',
)
const LORA = { rank: 16, alpha: 32, dropout: 0, targets: PROJECTIONS }
const whole: CheckpointUse = { adapters: null, storage: 'float32', contextWindow: null, isTrained: true }
const adapted: CheckpointUse = { ...whole, adapters: LORA }

describe('the memory of a checkpoint', () => {
  it('counts weights as published, three more numbers for each that is trained, and adapters as PEFT counts them', () => {
    const estimate = estimateCheckpoint(SMOLLM2, whole)
    expect(estimate.weights).toBe(4 * 134_515_008)
    expect(estimate.learning).toBe(12 * 134_515_008)
    // PEFT's print_trainable_parameters for r=16 on all seven projections: 30 layers of 16 · Σ (in + out).
    const perLayer = 2 * (576 + 576) + 2 * (576 + 192) + 3 * (576 + 1536)
    expect(estimateCheckpoint(SMOLLM2, adapted).learning).toBe(12 * 30 * 16 * perLayer)
    expect(estimateCheckpoint(SMOLLM2, { ...adapted, isTrained: false }).learning).toBe(0)
  })

  it('is half of the matrices in half precision, and an eighth of the cache in an eighth of the context', () => {
    const half = estimateCheckpoint(SMOLLM2, { ...whole, storage: 'float16', isTrained: false }).weights
    const norms = 61 * 576
    expect(half).toBe(2 * (134_515_008 - norms) + 4 * norms)
    const long = estimateCheckpoint(SMOLLM2, { ...adapted, contextWindow: 512 }).cache
    expect(estimateCheckpoint(SMOLLM2, { ...adapted, contextWindow: 64 }).cache * 8).toBe(long)
  })

  it('fits where there is room, and else names the change that costs least', () => {
    expect(checkCheckpoint(SMOLLM2, adapted, 2 ** 32, 'cpu').fits).toBe(true)
    const need = (use: CheckpointUse) => estimateCheckpoint(SMOLLM2, use).total
    const short = { ...adapted, contextWindow: 512 }
    expect(checkCheckpoint(SMOLLM2, adapted, need(short), 'cpu')).toMatchObject({ fits: false, change: short })
    const lessThanShort = need(short) - 1
    expect(checkCheckpoint(SMOLLM2, adapted, lessThanShort, 'cpu').change).toMatchObject({ storage: 'four-bit' })
    expect(checkCheckpoint(SMOLLM2, adapted, lessThanShort, 'webgpu').change).toMatchObject({ storage: 'float16' })
    // Whole weights cannot be trained in half precision: adapters are what helps.
    const change = checkCheckpoint(SMOLLM2, whole, need({ ...whole, contextWindow: 512 }) - 1, 'webgpu').change
    expect(change?.adapters).not.toBeNull()
  })

  it('is refused in words with numbers, and what would fit does fit', () => {
    const limit = 1.9e9
    const { change } = checkCheckpoint(SMOLLM2, whole, limit, 'cpu')
    expect(change).not.toBeNull()
    expect(estimateCheckpoint(SMOLLM2, change!).total).toBeLessThanOrEqual(limit)
    expect(() => refuseTooLarge('SmolLM2', SMOLLM2, whole, limit, 'cpu')).toThrow(
      /"SmolLM2" takes about [\d,]+ MB .* and there are 1,900 MB\. It would fit with adapters trained in place of all weights/,
    )
    expect(() => refuseTooLarge('SmolLM2', SMOLLM2, whole, 1e8, 'cpu')).toThrow(/Choose a smaller model, or WebGPU/)
  })
})
