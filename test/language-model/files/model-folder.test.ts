import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderReader, writeModelFolder } from '../../../src/language-model/files/folder-reader.ts'
import { LanguageModel } from '../../../src/language-model/language-model.ts'
import { memoryReader, urlReader } from '../../../src/language-model/files/model-folder.ts'
import { defaultBatchSizes } from '../../../src/language-model/weights/memory-budget.ts'
import { ModelConfigError, parseModelConfig } from '../../../src/language-model/files/config.ts'
import { readSafetensors, writeSafetensors } from '../../../src/language-model/files/safetensors.ts'
import { readChatTemplate } from '../../../src/language-model/tokens/chat-template-files.ts'
import { PLAIN, tinyModel, useBackend } from '../tiny-model.ts'

const asked = [{ prompt: Int32Array.of(5, 6, 7, 8), count: 2, seed: 3 }]
const sampling = { temperature: 1, topP: 0.9, maxTokens: 8 }

describe('model folder', () => {
  test('a model written to a folder and loaded again samples the same', async () => {
    await useBackend('simd')
    const model = await tinyModel()
    const folder = await mkdtemp(join(tmpdir(), 'model-'))
    await writeModelFolder(folder, await model.saveFolder())
    const again = await LanguageModel.load(folderReader(folder), 'cpu')
    await rm(folder, { recursive: true })
    expect(await again.generate(asked, sampling)).toEqual(await model.generate(asked, sampling))
    expect(again.parameterCount).toBe(model.parameterCount)
    await Promise.all([model.dispose(), again.dispose()])
  })

  test('weights of another shape, a missing file and a failing address are named', async () => {
    await useBackend('simd')
    const model = await tinyModel()
    const files: Record<string, Uint8Array> = await model.saveFolder('BF16')
    await model.dispose()
    const config = (change: object) => ({
      ...files,
      'config.json': new TextEncoder().encode(JSON.stringify({ ...PLAIN, vocab_size: 270, ...change })),
    })
    await expect(LanguageModel.load(memoryReader('m', config({ vocab_size: 271 })), 'selected')).rejects.toThrow(
      'model.embed_tokens.weight has shape [270, 16] where config.json requires [271, 16]',
    )
    await expect(LanguageModel.load(memoryReader('m', config({ num_hidden_layers: 3 })), 'selected')).rejects.toThrow(
      'lack model.layers.2',
    )
    await expect(LanguageModel.load(memoryReader('m', {}), 'selected')).rejects.toThrow('Model "m" has no config.json')
    await expect(LanguageModel.load(folderReader('/nowhere'), 'selected')).rejects.toThrow(
      '/nowhere/config.json cannot be read',
    )
    await expect(
      LanguageModel.load(
        urlReader('https://example.org/m', async () => new Response(null, { status: 404 })),
        'selected',
      ),
    ).rejects.toThrow('https://example.org/m/config.json answered 404')
    const served = (...missing: string[]) =>
      urlReader('https://example.org/m', async (url) => {
        const name = (url as string).slice('https://example.org/m/'.length)
        return missing.includes(name) ? new Response(null, { status: 404 }) : new Response(files[name]!.slice())
      })
    await expect(
      LanguageModel.load(served('model.safetensors', 'model.safetensors.index.json'), 'selected'),
    ).rejects.toThrow(/model\.safetensors answered 404.* check that it serves files of this type/)
    const ok = await LanguageModel.load(served(), 'selected')
    await ok.dispose()
  })

  test.each<[string, () => Response]>([
    ['403, as object storage', () => new Response(null, { status: 403 })],
    ['a web page, as a single-page application', () => new Response('<!doctype html><title>Home</title>')],
  ])('a sharded model without a chat template opens where a missing file is answered with %s', async (_, answer) => {
    await useBackend('simd')
    const model = await tinyModel()
    const { 'model.safetensors': weights, ...small } = await model.saveFolder()
    await model.dispose()
    const { tensors } = readSafetensors(weights, 'm')
    const halves = [0, 1].map((half) => new Map([...tensors].filter((_, i) => i % 2 === half)))
    const weight_map = Object.fromEntries(halves.flatMap((part, i) => [...part.keys()].map((name) => [name, `${i}.safetensors`]))) // prettier-ignore
    const files: Record<string, Uint8Array> = {
      ...small,
      'model.safetensors.index.json': new TextEncoder().encode(JSON.stringify({ weight_map })),
      ...Object.fromEntries(halves.map((part, i) => [`${i}.safetensors`, writeSafetensors({ metadata: {}, tensors: part })])), // prettier-ignore
    }
    const reader = urlReader('https://example.org/m', async (url) => {
      const bytes = files[(url as string).slice('https://example.org/m/'.length)]
      return bytes ? new Response(bytes.slice()) : answer()
    })
    expect(await readChatTemplate(reader)).toBeNull()
    const opened = await LanguageModel.load(reader, 'selected')
    await opened.dispose()
    delete files['model.safetensors.index.json']
    await expect(LanguageModel.load(reader, 'selected')).rejects.toThrow('neither model.safetensors nor')
  })

  test('a model whose config.json is forbidden requires a login', async () => {
    const reader = urlReader('https://example.org/m', async () => new Response(null, { status: 401 }))
    await expect(LanguageModel.load(reader, 'selected')).rejects.toThrow('may require an agreement or a login')
  })

  test('a token of the tokenizer that the model does not have is named', async () => {
    await useBackend('simd')
    const model = await tinyModel({ vocab_size: 262 })
    expect(await model.encode(['go to'])).toHaveLength(1)
    await expect(model.encode(['go to', 'go to 1'])).rejects.toThrow(
      /^" 1" is token \d+ of tokenizer\.json, but config\.json has a vocab_size of 262\. Take both files/,
    )
    await model.dispose()
  })

  test('an unsupported config is refused with the reason', () => {
    const read = (change: object) => () => parseModelConfig({ ...PLAIN, ...change }, 'm')
    expect(read({ hidden_size: undefined })).toThrow(ModelConfigError)
    expect(read({ hidden_size: undefined })).toThrow('"m" cannot be read: hidden_size')
    // Its keys are others, too.
    expect(() => parseModelConfig({ model_type: 'gpt2', n_embd: 768 }, 'm')).toThrow('is of type "gpt2"')
    expect(read({ num_key_value_heads: 3 })).toThrow('do not divide')
    expect(read({ rope_scaling: { rope_type: 'yarn', factor: 2 } })).toThrow('yarn')
    expect(read({ rope_scaling: { type: 'linear', factor: 2 } })).toThrow('scales its rotary embedding by "linear"')
    expect(read({ rope_scaling: { rope_type: 'llama3', factor: 32, low_freq_factor: 1 } })).toThrow(
      'by "llama3" without high_freq_factor',
    )
    expect(read({ quantization_config: { quant_method: 'gptq', bits: 4 } })).toThrow('is quantised (gptq)')
    expect(read({ mlp_bias: true })).toThrow('biases in its feed-forward layers')
    expect(read({ hidden_act: 'gelu' })).toThrow('activation "gelu"')
    expect(read({ partial_rotary_factor: 0.5 })).toThrow('rotates only a part of each head')
    expect(parseModelConfig({ ...PLAIN, eos_token_id: undefined }, 'm').eosTokens).toEqual([])
  })
})

describe('a sliding window', () => {
  const read = (change: object) => () => parseModelConfig({ ...PLAIN, ...change }, 'm')

  test('is allowed if it is switched off, as in Qwen', () => {
    for (const model_type of ['qwen2', 'qwen3']) {
      expect(read({ model_type, sliding_window: 4096, use_sliding_window: false, max_window_layers: 28 })).not.toThrow()
      expect(
        read({ model_type, sliding_window: null, layer_types: ['full_attention', 'full_attention'] }),
      ).not.toThrow()
    }
  })

  test('is refused if it is used', () => {
    expect(read({ model_type: 'qwen2', sliding_window: 4096, use_sliding_window: true })).toThrow('sliding window')
    expect(read({ model_type: 'qwen3', layer_types: ['full_attention', 'sliding_attention'] })).toThrow(
      'sliding window',
    )
    expect(read({ sliding_window: 4096 })).toThrow('sliding window')
  })
})

describe('published configurations', () => {
  const SHARED = { hidden_act: 'silu', attention_dropout: 0, initializer_range: 0.02, use_cache: true }

  test('Qwen2.5 0.5B can only keep the activations of short batches, so it recomputes them', () => {
    const config = parseModelConfig(
      {
        ...SHARED,
        model_type: 'qwen2',
        hidden_size: 896,
        intermediate_size: 4864,
        num_attention_heads: 14,
        num_hidden_layers: 24,
        num_key_value_heads: 2,
        max_position_embeddings: 32768,
        max_window_layers: 21,
        rms_norm_eps: 1e-6,
        rope_theta: 1_000_000,
        sliding_window: 32768,
        use_sliding_window: false,
        tie_word_embeddings: true,
        vocab_size: 151936,
        eos_token_id: 151645,
      },
      'Qwen2.5-0.5B-Instruct',
    )
    expect(config).toMatchObject({ headDim: 64, queryKeyValueBias: true, outputBias: false, queryKeyNorm: false })
    const sizes = defaultBatchSizes(config)
    expect(sizes.recomputeActivations).toBe(true)
    expect(sizes.microBatchTokens).toBeGreaterThan(2048)
    expect(defaultBatchSizes(config, { recomputeActivations: false }).microBatchTokens).toBeLessThan(512)
  })

  test('Llama 3.2 1B has stretched frequencies, Qwen3 0.6B wide heads', () => {
    const llama = parseModelConfig(
      {
        ...SHARED,
        model_type: 'llama',
        hidden_size: 2048,
        head_dim: 64,
        intermediate_size: 8192,
        num_attention_heads: 32,
        num_hidden_layers: 16,
        num_key_value_heads: 8,
        max_position_embeddings: 131072,
        mlp_bias: false,
        attention_bias: false,
        pretraining_tp: 1,
        rms_norm_eps: 1e-5,
        rope_scaling: {
          factor: 32,
          high_freq_factor: 4,
          low_freq_factor: 1,
          original_max_position_embeddings: 8192,
          rope_type: 'llama3',
        },
        rope_theta: 500_000,
        tie_word_embeddings: true,
        vocab_size: 128256,
        eos_token_id: [128001, 128008, 128009],
      },
      'Llama-3.2-1B-Instruct',
    )
    expect(llama.ropeScaling).toEqual({
      factor: 32,
      lowFrequencyFactor: 1,
      highFrequencyFactor: 4,
      originalPositions: 8192,
    })
    expect(llama.eosTokens).toEqual([128001, 128008, 128009])
    const qwen3 = parseModelConfig(
      {
        ...SHARED,
        model_type: 'qwen3',
        hidden_size: 1024,
        head_dim: 128,
        intermediate_size: 3072,
        num_attention_heads: 16,
        num_hidden_layers: 28,
        num_key_value_heads: 8,
        attention_bias: false,
        max_position_embeddings: 40960,
        rms_norm_eps: 1e-6,
        rope_scaling: null,
        rope_theta: 1_000_000,
        sliding_window: null,
        tie_word_embeddings: true,
        vocab_size: 151936,
      },
      'Qwen3-0.6B',
    )
    expect(qwen3).toMatchObject({ headDim: 128, heads: 16, queryKeyNorm: true, queryKeyValueBias: false })
  })
})

describe('checkpoint', () => {
  const examples = [{ prompt: Int32Array.of(3, 4), response: Int32Array.of(9, 8, 7) }]

  test('training continues from a checkpoint as if it had not been interrupted', async () => {
    await useBackend('simd')
    const model = await tinyModel()
    for (let step = 0; step < 3; step++) await model.fit(examples, { learningRate: 0.01 })
    const checkpoint = await model.saveCheckpoint()
    const expected = await model.fit(examples, { learningRate: 0.01 })
    await model.fit(examples, { learningRate: 0.1 })
    const other = await tinyModel({}, 2)
    for (const resumed of [model, other]) {
      await resumed.loadCheckpoint(checkpoint)
      expect(await resumed.saveCheckpoint()).toEqual(checkpoint)
      expect(await resumed.fit(examples, { learningRate: 0.01 })).toEqual(expected)
    }
    const after = await other.generate(asked, sampling)
    expect(after).toEqual(await model.generate(asked, sampling))
    await Promise.all([model.dispose(), other.dispose()])
  })

  test('a truncated checkpoint changes nothing', async () => {
    await useBackend('simd')
    const model = await tinyModel()
    const before = await model.saveCheckpoint()
    await expect(model.loadCheckpoint(before.slice(0, -100))).rejects.toThrow('100 bytes short')
    expect(await model.saveCheckpoint()).toEqual(before)
    await model.dispose()
  })
})
