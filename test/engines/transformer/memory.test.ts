import { describe, expect, it } from 'vitest'
import {
  checkCheckpoint,
  estimateCheckpoint,
  refuseTooLarge,
  type CheckpointUse,
} from '../../../src/engines/transformer/memory.ts'
import { parseModelConfig } from '../../../src/language-model/files/config.ts'
import { PROJECTIONS } from '../../../src/language-model/weights/projection-names.ts'

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
  it('counts weights as published, three numbers more for each trained one, and adapters like PEFT', () => {
    const estimate = estimateCheckpoint(SMOLLM2, whole)
    expect(estimate.weights).toBe(4 * 134_515_008)
    expect(estimate.learning).toBe(12 * 134_515_008)
    // PEFT's print_trainable_parameters for r=16 on all seven projections: 30 layers of 16 · Σ (in + out).
    const perLayer = 2 * (576 + 576) + 2 * (576 + 192) + 3 * (576 + 1536)
    expect(estimateCheckpoint(SMOLLM2, adapted).learning).toBe(12 * 30 * 16 * perLayer)
    expect(estimateCheckpoint(SMOLLM2, { ...adapted, isTrained: false }).learning).toBe(0)
  })

  it('halves matrices in half precision, and needs an eighth of the cache for an eighth of the context', () => {
    const half = estimateCheckpoint(SMOLLM2, { ...whole, storage: 'float16', isTrained: false }).weights
    const norms = 61 * 576
    expect(half).toBe(2 * (134_515_008 - norms) + 4 * norms)
    const long = estimateCheckpoint(SMOLLM2, { ...adapted, contextWindow: 512 }).cache
    expect(estimateCheckpoint(SMOLLM2, { ...adapted, contextWindow: 64 }).cache * 8).toBe(long)
  })

  it('reports whether it fits, and if not, the cheapest change', () => {
    expect(checkCheckpoint(SMOLLM2, adapted, 2 ** 32, 'cpu').fits).toBe(true)
    const need = (use: CheckpointUse) => estimateCheckpoint(SMOLLM2, use).total
    const short = { ...adapted, contextWindow: 512 }
    expect(checkCheckpoint(SMOLLM2, adapted, need(short), 'cpu')).toMatchObject({ fits: false, change: short })
    const lessThanShort = need(short) - 1
    expect(checkCheckpoint(SMOLLM2, adapted, lessThanShort, 'cpu').change).toMatchObject({ storage: 'four-bit' })
    expect(checkCheckpoint(SMOLLM2, adapted, lessThanShort, 'webgpu').change).toMatchObject({ storage: 'float16' })
    // Weights in half precision cannot be trained, so adapters are needed.
    const change = checkCheckpoint(SMOLLM2, whole, need({ ...whole, contextWindow: 512 }) - 1, 'webgpu').change
    expect(change?.adapters).not.toBeNull()
  })

  it('is refused with numbers, and the suggested change fits', () => {
    const limit = 1.9e9
    const { change } = checkCheckpoint(SMOLLM2, whole, limit, 'cpu')
    expect(change).not.toBeNull()
    expect(estimateCheckpoint(SMOLLM2, change!).total).toBeLessThanOrEqual(limit)
    expect(() => refuseTooLarge('SmolLM2', SMOLLM2, whole, limit, 'cpu')).toThrow(
      /"SmolLM2" takes about [\d,]+ MB .* and 1,900 MB are available\. It would fit with adapters trained instead of all weights/,
    )
    expect(() => refuseTooLarge('SmolLM2', SMOLLM2, whole, 1e8, 'cpu')).toThrow(/Choose a smaller model, or WebGPU/)
  })
})
