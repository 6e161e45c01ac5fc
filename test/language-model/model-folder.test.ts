import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderReader, writeModelFolder } from '../../src/language-model/folder-reader.ts'
import { LanguageModel } from '../../src/language-model/language-model.ts'
import { memoryReader, urlReader } from '../../src/language-model/model-folder.ts'
import { ModelConfigError, parseModelConfig } from '../../src/language-model/config.ts'
import { PLAIN, tinyModel, useBackend } from './tiny-model.ts'

const asked = [{ prompt: Int32Array.of(5, 6, 7, 8), count: 2, seed: 3 }]
const sampling = { temperature: 1, topP: 0.9, maxTokens: 8 }

describe('model folder', () => {
  test('a model written to a folder samples what it sampled before', async () => {
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

  test('weights of another shape, a missing file and an address that fails are named', async () => {
    await useBackend('simd')
    const model = await tinyModel()
    const files: Record<string, Uint8Array> = await model.saveFolder('BF16')
    await model.dispose()
    const config = (change: object) => ({
      ...files,
      'config.json': new TextEncoder().encode(JSON.stringify({ ...PLAIN, vocab_size: 270, ...change })),
    })
    await expect(LanguageModel.load(memoryReader('m', config({ vocab_size: 271 })), 'selected')).rejects.toThrow(
      'model.embed_tokens.weight has shape [270, 16] where config.json asks for [271, 16]',
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
    const ok = await LanguageModel.load(
      urlReader(
        'https://example.org/m',
        async (url) => new Response(files[(url as string).slice('https://example.org/m/'.length)]!.slice()),
      ),
      'selected',
    )
    await ok.dispose()
  })

  test('a config that we cannot run is refused by name', () => {
    const read = (change: object) => () => parseModelConfig({ ...PLAIN, ...change }, 'm')
    expect(read({ hidden_size: undefined })).toThrow(ModelConfigError)
    expect(read({ hidden_size: undefined })).toThrow('"m" cannot be read: hidden_size')
    expect(read({ model_type: 'mamba' })).toThrow('type "mamba"')
    expect(read({ num_key_value_heads: 3 })).toThrow('do not divide')
    expect(read({ rope_scaling: { rope_type: 'yarn', factor: 2 } })).toThrow('yarn')
    expect(parseModelConfig({ ...PLAIN, eos_token_id: undefined }, 'm').eosTokens).toEqual([])
  })
})

describe('checkpoint', () => {
  const examples = [{ prompt: Int32Array.of(3, 4), response: Int32Array.of(9, 8, 7) }]

  test('training goes on from a checkpoint as if nothing had happened', async () => {
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

  test('one that is cut changes nothing', async () => {
    await useBackend('simd')
    const model = await tinyModel()
    const before = await model.saveCheckpoint()
    await expect(model.loadCheckpoint(before.slice(0, -100))).rejects.toThrow('100 bytes short')
    expect(await model.saveCheckpoint()).toEqual(before)
    await model.dispose()
  })
})
