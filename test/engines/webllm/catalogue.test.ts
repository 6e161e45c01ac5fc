import { beforeAll, describe, expect, it } from 'vitest'
import { CATALOGUE, customRecord, missingFeatures, type CatalogueModel } from '../../../src/engines/webllm/catalogue.ts'
import { checkMemory, estimateMemory, type MemoryPlan } from '../../../src/engines/webllm/memory-guard.ts'
import { PINNED_VERSION } from '../../../src/engines/webllm/version.ts'
import { parseModelConfig } from '../../../src/language-model/files/config.ts'
import { elementCount, mlcParameters } from '../../../src/weight-formats/mlc-parameters.ts'
import { encodedBytes } from '../../weight-formats/decode.ts'
import manifest from '../../../package.json' with { type: 'json' }

interface PublishedRecord {
  model: string
  model_id: string
  model_lib: string
  vram_required_MB: number
  required_features?: string[]
}
let published: Map<string, PublishedRecord>

beforeAll(async () => {
  // The package requires it on loading; Node has it since 21.
  if (!('navigator' in globalThis)) Object.assign(globalThis, { navigator: {} })
  const { prebuiltAppConfig } = (await import('@mlc-ai/web-llm')) as unknown as {
    prebuiltAppConfig: { model_list: PublishedRecord[] }
  }
  published = new Map(prebuiltAppConfig.model_list.map((record) => [record.model_id, record]))
})

/** Values of the published config.json that the catalogue omits: heads, intermediate size, architecture. */
const PUBLISHED: Record<string, [modelType: 'llama' | 'qwen2' | 'qwen3', heads: number, intermediate: number]> = {
  'SmolLM2-135M-Instruct': ['llama', 9, 1536],
  'SmolLM2-360M-Instruct': ['llama', 15, 2560],
  'SmolLM2-1.7B-Instruct': ['llama', 32, 8192],
  'Qwen2.5-0.5B-Instruct': ['qwen2', 14, 4864],
  'Qwen2.5-1.5B-Instruct': ['qwen2', 12, 8960],
  'Qwen3-0.6B': ['qwen3', 16, 3072],
  'Qwen3-1.7B': ['qwen3', 16, 6144],
  'Llama-3.2-1B-Instruct': ['llama', 32, 8192],
}

function parametersOf({ name, shape }: CatalogueModel) {
  const [modelType, heads, intermediate] = PUBLISHED[name]!
  const config = parseModelConfig(
    {
      model_type: modelType,
      hidden_size: shape.hiddenSize,
      num_hidden_layers: shape.layers,
      num_attention_heads: heads,
      num_key_value_heads: shape.keyValueHeads,
      head_dim: shape.headDim,
      intermediate_size: intermediate,
      vocab_size: shape.vocabularySize,
      tie_word_embeddings: true,
    },
    name,
  )
  return mlcParameters(config, modelType)
}

describe('the list of models', () => {
  it('matches that of the pinned WebLLM version', () => {
    expect(manifest.dependencies['@mlc-ai/web-llm']).toBe(PINNED_VERSION)
    expect(CATALOGUE.length).toBeGreaterThan(20)
    for (const { id, record, requiredMB, features } of CATALOGUE) {
      const theirs = published.get(id)
      expect(theirs, id).toBeDefined()
      expect(record).toMatchObject({ model: theirs!.model, model_lib: theirs!.model_lib })
      expect(requiredMB).toBe(theirs!.vram_required_MB)
      // Our records may require more features than theirs, never fewer.
      expect(features).toEqual(expect.arrayContaining(theirs!.required_features ?? []))
    }
  })

  it.each(CATALOGUE.map((model) => [model.id, model] as const))('has the sizes of %s right', (_id, model) => {
    const parameters = parametersOf(model)
    expect(parameters.reduce((sum, { shape }) => sum + elementCount(shape), 0)).toBe(model.shape.parameters)
    const estimated = estimateMemory(model.shape, model.quantization, {
      contextWindow: 0,
      sequences: 0,
      cacheTokens: 0,
    })
    expect(estimated.weights / encodedBytes(parameters, model.quantization)).toBeCloseTo(1, 2)
  })

  it('estimates approximately WebLLM’s figures for 4096 tokens', () => {
    for (const { id, shape, quantization, requiredMB } of CATALOGUE) {
      const { total } = estimateMemory(shape, quantization, { contextWindow: 4096, sequences: 1, cacheTokens: 0 })
      const ratio = total / (requiredMB * 1e6)
      expect(ratio, id).toBeGreaterThan(0.9)
      expect(ratio, id).toBeLessThan(1.4)
    }
  })

  it('reports which adapter can run which model', () => {
    const [full, half] = ['q0f32', 'q0f16'].map((quantization) =>
      CATALOGUE.find(({ id }) => id === `Qwen2.5-0.5B-Instruct-${quantization}-MLC`),
    )
    const plain = { features: new Set<string>(['subgroups']) } as unknown as GPUAdapter
    expect(missingFeatures(half!, plain)).toEqual(['shader-f16'])
    expect(missingFeatures(full!, plain)).toEqual([])
  })

  it('accepts models at other valid addresses', () => {
    const custom = { id: 'mine', model: 'https://example.org/mine', library: 'https://example.org/mine.wasm' }
    expect(customRecord(custom, ['shader-f16'])).toEqual({
      model_id: 'mine',
      model: custom.model,
      model_lib: custom.library,
      required_features: ['shader-f16'],
    })
    expect(() => customRecord({ ...custom, model: 'models/mine' }, [])).toThrow(/weights, "models\/mine".*https/)
    expect(() => customRecord({ ...custom, library: 'ftp://x/y.wasm' }, [])).toThrow(/library/)
    expect(() => customRecord({ ...custom, id: ' ' }, [])).toThrow(/name/)
  })
})

describe('the memory guard', () => {
  const model = CATALOGUE.find(({ id }) => id === 'SmolLM2-360M-Instruct-q0f16-MLC')!
  const plan: MemoryPlan = { contextWindow: 2048, sequences: 16, cacheTokens: 16 * 2048 }
  const limits = (budgetBytes: number, maxStorageBufferBindingSize = 2 ** 30) => ({
    budgetBytes,
    maxStorageBufferBindingSize,
  })

  it('accepts what fits, to the byte', () => {
    const { total } = estimateMemory(model.shape, model.quantization, plan)
    expect(checkMemory(model, plan, limits(total)).fits).toBe(true)
    expect(checkMemory(model, plan, limits(total - 1)).fits).toBe(false)
  })

  it('suggests the smallest change: fewer sequences, then a shorter context, then another model', () => {
    const need = (change: Partial<MemoryPlan>) =>
      estimateMemory(model.shape, model.quantization, { ...plan, ...change }).total
    const half = checkMemory(model, plan, limits(need({ sequences: 8, cacheTokens: 8 * 2048 })))
    expect(half).toMatchObject({ change: { kind: 'plan', plan: { sequences: 8, contextWindow: 2048 } } })
    expect(half).toMatchObject({ message: expect.stringContaining('8 sequences at once') as string })

    const short = checkMemory(model, plan, limits(need({ sequences: 1, contextWindow: 512, cacheTokens: 544 })))
    expect(short).toMatchObject({ change: { kind: 'plan', plan: { sequences: 1, contextWindow: 512 } } })
    expect(short).toMatchObject({ message: expect.stringContaining('a context of 512 tokens') as string })

    const small = checkMemory(model, { ...plan, sequences: 1, cacheTokens: 300 }, limits(500e6), CATALOGUE)
    expect(small).toMatchObject({ change: { kind: 'model' } })
    const { change } = small as { change: { model: CatalogueModel } }
    expect(checkMemory(change.model, { ...plan, sequences: 1, cacheTokens: 300 }, limits(500e6)).fits).toBe(true)
    expect(change.model.shape.parameters).toBe(361_821_120)

    const none = checkMemory(model, plan, limits(1e6), CATALOGUE)
    expect(none).toMatchObject({ change: null, message: expect.stringContaining('built-in') as string })
  })

  it('detects a tensor that exceeds the largest buffer, whatever memory there is', () => {
    const wide = CATALOGUE.find(({ id }) => id === 'Qwen2.5-0.5B-Instruct-q0f32-MLC')!
    const verdict = checkMemory(wide, plan, limits(1e12, 2 ** 27), CATALOGUE)
    expect(verdict).toMatchObject({ fits: false, message: expect.stringMatching(/tensor of 545 MB.*135 MB/) as string })
    expect(verdict).toMatchObject({ change: { kind: 'model' } })
  })
})
