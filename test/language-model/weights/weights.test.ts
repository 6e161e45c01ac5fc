import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as tf from '@tensorflow/tfjs-core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ModelConfigError, parseModelConfig } from '../../../src/language-model/files/config.ts'
import { folderReader } from '../../../src/language-model/files/folder-reader.ts'
import { loadTransformer } from '../../../src/language-model/files/load-transformer.ts'
import {
  blobReader,
  memoryReader,
  ModelFileError,
  type ModelReader,
} from '../../../src/language-model/files/model-reader.ts'
import { initialWeights, parameterShapes } from '../../../src/language-model/weights/parameters.ts'
import { readSafetensors, SafetensorsError, writeSafetensors } from '../../../src/language-model/files/safetensors.ts'
import { SafetensorsStream } from '../../../src/language-model/files/safetensors-stream.ts'
import { readWeightBytes, streamWeights } from '../../../src/language-model/weights/weights.ts'
import { fixtureFolder } from '../fixtures.ts'
import { PLAIN, useBackend } from '../tiny-model.ts'

const config = parseModelConfig(PLAIN, 'm')
const shapeOf = new Map(parameterShapes(config).map(({ name, shape }) => [name, shape]))
const weights = initialWeights(config, 1)
const tensors = new Map(Array.from(weights, ([name, values]) => [name, { shape: shapeOf.get(name)!, values }]))
const file = { metadata: { format: 'pt' }, tensors }

async function collect(reader: ModelReader, of = config): Promise<Map<string, Float32Array>> {
  const all = new Map<string, Float32Array>()
  for await (const [name, values] of streamWeights(reader, of)) all.set(name, values)
  return all
}

async function* cutAt(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const cut of [...cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b), bytes.length]) {
    yield bytes.subarray(from, cut)
    from = cut
  }
}

describe('a safetensors stream', () => {
  test.each(['F32', 'F16', 'BF16'] as const)('reads %s in pieces of any size like the whole file', async (dtype) => {
    const bytes = writeSafetensors(file, dtype)
    const expected = readSafetensors(bytes, 'm').tensors
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 }),
        fc.subarray([...tensors.keys()]),
        async (cuts, wanted) => {
          const stream = await SafetensorsStream.open(cutAt(bytes, cuts), 'm')
          expect(stream.header.metadata).toEqual(file.metadata)
          const read = new Map()
          for await (const [name, tensor] of stream.tensors((name) => wanted.includes(name))) read.set(name, tensor)
          expect(read).toEqual(new Map(wanted.map((name) => [name, expected.get(name)])))
        },
      ),
      { numRuns: 30 },
    )
  })

  test('reports how much is missing if it ends early', async () => {
    const bytes = writeSafetensors(file, 'BF16')
    const read = async (length: number) => {
      const stream = await SafetensorsStream.open(cutAt(bytes.subarray(0, length), [0.5]), 'm')
      for await (const [name] of stream.tensors(() => true)) expect(name).toBeDefined()
    }
    await expect(read(bytes.length - 5)).rejects.toThrow(
      '"m" is 5 bytes short: the file was cut, for example by an interrupted download',
    )
    await expect(read(20)).rejects.toThrow(/cut off inside its header/)
    await expect(read(3)).rejects.toThrow(/has 3 bytes and no header/)
    await expect(read(bytes.length - 5)).rejects.toThrow(SafetensorsError)
  })

  test('is refused if its tensors overlap', async () => {
    const header = new TextEncoder().encode(
      JSON.stringify({
        a: { dtype: 'F32', shape: [2], data_offsets: [0, 8] },
        b: { dtype: 'F32', shape: [2], data_offsets: [4, 12] },
      }),
    )
    const bytes = new Uint8Array(8 + header.length + 12)
    new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true)
    bytes.set(header, 8)
    const stream = await SafetensorsStream.open(cutAt(bytes, []), 'm')
    await expect(
      (async () => {
        for await (const [name] of stream.tensors(() => true)) expect(name).toBe('a')
      })(),
    ).rejects.toThrow('"b" begins inside another tensor')
  })
})

describe('weights of a model', () => {
  const whole = (change: (tensors: Map<string, { shape: readonly number[]; values: Float32Array }>) => void) => {
    const changed = new Map(tensors)
    change(changed)
    return memoryReader('m', { 'model.safetensors': writeSafetensors({ metadata: {}, tensors: changed }) })
  }

  test('all arrive, from any reader', async () => {
    const bytes = writeSafetensors(file)
    expect(await collect(memoryReader('m', { 'model.safetensors': bytes }))).toEqual(weights)
    const files = new Map([['model.safetensors', new Blob([bytes])]])
    expect(await collect(blobReader('m', async (file) => files.get(file)))).toEqual(weights)
    const none = blobReader('m', async () => undefined)
    await expect(collect(none)).rejects.toThrow('neither model.safetensors nor model.safetensors.index.json')
  })

  test('are named if missing, unknown or of another shape', async () => {
    await expect(
      collect(
        whole((tensors) => {
          tensors.delete('model.norm.weight')
          tensors.delete('model.layers.1.mlp.up_proj.weight')
        }),
      ),
    ).rejects.toThrow('lack model.layers.1.mlp.up_proj.weight, model.norm.weight, which')
    const bias = { shape: [16], values: new Float32Array(16) }
    await expect(
      collect(
        whole((tensors) => {
          for (let layer = 0; layer < 2; layer++)
            for (const name of ['q_proj', 'k_proj', 'v_proj', 'o_proj'])
              tensors.set(`model.layers.${layer}.self_attn.${name}.bias`, bias)
        }),
      ),
    ).rejects.toThrow(/contain model\.layers\.0\.self_attn\.q_proj\.bias, .* and 3 more, which a model .* does not use/)
    await expect(
      collect(whole((tensors) => tensors.set('model.norm.weight', { ...bias, shape: [4, 4] }))),
    ).rejects.toThrow('model.norm.weight has shape [4, 4] where config.json requires [16]')
  })

  test('may contain the output layer of a tied model and old angle tables', async () => {
    const reader = whole((tensors) => {
      tensors.set('lm_head.weight', tensors.get('model.embed_tokens.weight')!)
      tensors.set('model.layers.0.self_attn.rotary_emb.inv_freq', { shape: [2], values: new Float32Array(2) })
    })
    expect(await collect(reader)).toEqual(weights)
  })

  test('are found in shards by their index', async () => {
    const folder = fixtureFolder('qwen3')
    const files = Object.fromEntries(
      readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => [name, new Uint8Array(readFileSync(join(folder, name)))]),
    )
    const qwen3 = parseModelConfig(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')), 'qwen3')
    const read = await collect(folderReader(folder), qwen3)
    expect([...read.keys()].sort()).toEqual(
      parameterShapes(qwen3)
        .map(({ name }) => name)
        .sort(),
    )
    expect(await collect(memoryReader('qwen3', files), qwen3)).toEqual(read)

    const { 'model-00002-of-00003.safetensors': _, ...without } = files
    await expect(collect(memoryReader('qwen3', without), qwen3)).rejects.toThrow(
      'Model "qwen3" has no model-00002-of-00003.safetensors',
    )
    const twice = { ...files, 'model-00002-of-00003.safetensors': files['model-00001-of-00003.safetensors']! }
    await expect(collect(memoryReader('qwen3', twice), qwen3)).rejects.toThrow('which an earlier file also contains')
    const index = (weight_map: unknown) => ({
      ...files,
      'model.safetensors.index.json': new TextEncoder().encode(JSON.stringify({ weight_map })),
    })
    await expect(collect(memoryReader('qwen3', index({})), qwen3)).rejects.toThrow(ModelConfigError)
    await expect(collect(memoryReader('qwen3', index(3)), qwen3)).rejects.toThrow('does not say which file holds')
    const elsewhere = Object.fromEntries(parameterShapes(qwen3).map(({ name }) => [name, '../secret.safetensors']))
    await expect(collect(memoryReader('qwen3', index(elsewhere)), qwen3)).rejects.toThrow('not in the model')
  })

  test('that do not match are refused by their headers alone, with the same words', async () => {
    const named = [...tensors]
    const index = { weight_map: Object.fromEntries(named.map(([name], i) => [name, i % 2 ? 'b' : 'a'])) }
    const shard = (take: (i: number) => boolean) => writeSafetensors({ metadata: {}, tensors: new Map(named.filter((_, i) => take(i))) }) // prettier-ignore
    const sharded = memoryReader('m', {
      'model.safetensors.index.json': new TextEncoder().encode(JSON.stringify(index)),
      a: shard((i) => i % 2 === 0),
      b: shard((i) => i % 2 === 1 || i === 0),
    })
    const unknown = whole((tensors) => tensors.set('model.layers.2.extra', { shape: [1], values: new Float32Array(1) }))
    for (const [reader, words] of [
      [sharded, 'which an earlier file also contains'],
      [unknown, 'contain model.layers.2.extra'],
    ] as const) {
      // prettier-ignore
      await expect(collect(reader)).rejects.toThrow(words)
      await expect(readWeightBytes(reader, config)).rejects.toThrow(words)
    }
  })

  test('leak no memory if loading fails halfway', async () => {
    await useBackend('simd')
    const before = tf.memory().numTensors
    const bytes = writeSafetensors(file)
    const cut = memoryReader('m', { 'model.safetensors': bytes.subarray(0, bytes.length - 4) })
    await expect(loadTransformer(cut, config)).rejects.toThrow('4 bytes short')
    expect(tf.memory().numTensors).toBe(before)
  })

  test('fail with a clear error if the files disappear', async () => {
    const gone = blobReader(
      'm',
      async () =>
        ({
          stream: () => new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) }),
        }) as unknown as Blob,
    )
    await expect(collect(gone)).rejects.toThrow(ModelFileError)
    await expect(collect(gone)).rejects.toThrow("Choose the model's files again")
  })
})
