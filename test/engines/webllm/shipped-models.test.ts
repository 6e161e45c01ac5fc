/** The built-in models for WebLLM: every one has a library of its shape, and is kept whole or not at all. */
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { keepShippedModel, libraryFile } from '../../../src/engines/webllm/shipped-models.ts'
import { parseModelConfig } from '../../../src/language-model/files/config.ts'
import { architectureOf } from '../../../src/weight-formats/mlc-export.ts'
import { mlcParameters } from '../../../src/weight-formats/mlc-parameters.ts'
import { parseTensorCache } from '../../../src/weight-formats/tensor-cache.ts'
import { MemoryFiles, smallWeights } from './small-model.ts'

const LIBRARIES = readdirSync('public/models').flatMap((model) => [
  [model, 'q0f32', 'float32'] as const,
  [model, 'q0f16', 'float16'] as const,
])
const PAGE = 'https://page.test/sub/'
const LIMITS = { contextWindow: 256, sequences: 4, cacheTokens: 512 }
const FULL = { quantization: 'q0f32', ...LIMITS } as const

const configOf = (model: string): unknown => JSON.parse(readFileSync(`public/models/${model}/config.json`, 'utf8'))

interface Metadata {
  quantization: string
  params: { name: string; shape: number[]; dtype: string }[]
}

/** The JSON that a library's function _metadata returns stands in its constants. */
function metadataOf(library: Buffer): Metadata {
  const start = library.indexOf('{"model_type"')
  let depth = 0
  for (let at = start; ; at++) {
    if (library[at] === 0x7b) depth++
    if (library[at] === 0x7d && --depth === 0) return JSON.parse(library.toString('utf8', start, at + 1)) as Metadata
  }
}

/** Serves public/, with a change to the bytes of libraries. */
const served = (change: (bytes: Uint8Array) => Uint8Array) => async (input: string | URL | Request) => {
  const path = new Request(input).url.slice(PAGE.length)
  const bytes = new Uint8Array(readFileSync(`public/${path}`))
  return new Response(Uint8Array.from(path.startsWith('webllm/') ? change(bytes) : bytes))
}

describe('the built-in models for WebLLM', () => {
  it.each(LIBRARIES)('%s has a library in %s with its parameters, for any vocabulary', (model, numbers, dtype) => {
    const configJson = configOf(model)
    const library = gunzipSync(readFileSync(`public/webllm/${libraryFile(configJson, numbers)}`))
    expect(WebAssembly.validate(library)).toBe(true)
    const { quantization, params } = metadataOf(library)
    expect(quantization).toBe(numbers)
    const config = parseModelConfig(configJson, model)
    const wanted = mlcParameters(config, architectureOf(configJson, model)).map(({ name, shape }) => [
      name,
      shape.map((size) => (size === config.vocabularySize ? -1 : size)),
    ])
    const byName = (a: unknown[], b: unknown[]) => String(a[0]).localeCompare(String(b[0]))
    expect(params.map(({ name, shape }) => [name, shape]).sort(byName)).toEqual(wanted.sort(byName))
    expect(new Set(params.map(({ dtype }) => dtype))).toEqual(new Set([dtype]))
    expect(library.includes('enable f16;')).toBe(dtype === 'float16')
  })

  it('are put into WebLLM’s cache under addresses of the page, with their library', async () => {
    const files = new MemoryFiles(smallWeights(1))
    const location = `${PAGE}models/household-policy`
    const { record, ...limits } = await keepShippedModel(
      files,
      { location, ...FULL },
      served((bytes) => bytes),
    )
    expect(limits).toEqual(LIMITS)
    const folder = `${PAGE}webllm/household-policy/resolve/main/`
    expect(record).toEqual({
      model_id: 'household-policy-q0f32',
      model: folder,
      model_lib: `${folder}model.wasm`,
      required_features: [],
    })
    const cache = parseTensorCache(
      JSON.parse(new TextDecoder().decode(await files.read('webllm/model', `${folder}tensor-cache.json`))),
      'kept',
    )
    for (const { dataPath, nbytes } of cache.records)
      expect(await files.read('webllm/model', folder + dataPath)).toHaveLength(nbytes)
    expect(WebAssembly.validate(await files.read('webllm/wasm', record.model_lib))).toBe(true)
  })

  it('are kept in float16 beside float32, in half the bytes, for adapters with shader-f16', async () => {
    const files = new MemoryFiles(smallWeights(1))
    const location = `${PAGE}models/household-policy`
    const unchanged = served((bytes) => bytes)
    const full = await keepShippedModel(files, { location, ...FULL }, unchanged)
    const half = await keepShippedModel(files, { location, ...LIMITS, quantization: 'q0f16' }, unchanged)
    expect(half.record).toMatchObject({ model_id: 'household-policy-q0f16', required_features: ['shader-f16'] })
    const bytesIn = async (folder: string) => (await files.read('webllm/model', `${folder}params_shard_0.bin`)).length
    expect(await bytesIn(half.record.model)).toBe((await bytesIn(full.record.model)) / 2)
  })

  it('take a library that the server has already unpacked', async () => {
    const files = new MemoryFiles(smallWeights(1))
    const source = await keepShippedModel(
      files,
      { location: `${PAGE}models/household-policy/`, ...FULL },
      served(gunzipSync),
    )
    expect(WebAssembly.validate(await files.read('webllm/wasm', source.record.model_lib))).toBe(true)
  })

  it('report a library that was cut', async () => {
    const files = new MemoryFiles(smallWeights(1))
    await expect(
      keepShippedModel(
        files,
        { location: `${PAGE}models/household-policy`, ...FULL },
        served((bytes) => bytes.subarray(0, 5000)),
      ),
    ).rejects.toThrow(/llama-96x3-kv2-q0f32\.wasm\.gz is damaged: it was cut while downloading\. Reload the page\./)
  })
})
