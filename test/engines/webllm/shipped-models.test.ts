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

const MODELS = readdirSync('public/models')
const PAGE = 'https://page.test/sub/'
const LIMITS = { contextWindow: 256, sequences: 4, cacheTokens: 512 }

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
  it.each(MODELS)('%s has a library with its parameters, for any vocabulary', (model) => {
    const configJson = configOf(model)
    const library = gunzipSync(readFileSync(`public/webllm/${libraryFile(configJson)}`))
    expect(WebAssembly.validate(library)).toBe(true)
    const { quantization, params } = metadataOf(library)
    expect(quantization).toBe('q0f32')
    const config = parseModelConfig(configJson, model)
    const wanted = mlcParameters(config, architectureOf(configJson, model)).map(({ name, shape }) => [
      name,
      shape.map((size) => (size === config.vocabularySize ? -1 : size)),
    ])
    const byName = (a: unknown[], b: unknown[]) => String(a[0]).localeCompare(String(b[0]))
    expect(params.map(({ name, shape }) => [name, shape]).sort(byName)).toEqual(wanted.sort(byName))
    expect(new Set(params.map(({ dtype }) => dtype))).toEqual(new Set(['float32']))
  })

  it('are put into WebLLM’s cache under addresses of the page, with their library', async () => {
    const files = new MemoryFiles(smallWeights(1))
    const location = `${PAGE}models/household-policy`
    const { record, ...limits } = await keepShippedModel(
      files,
      { location, ...LIMITS },
      served((bytes) => bytes),
    )
    expect(limits).toEqual(LIMITS)
    const folder = `${PAGE}webllm/household-policy/resolve/main/`
    expect(record).toEqual({ model_id: 'household-policy-q0f32', model: folder, model_lib: `${folder}model.wasm` })
    const cache = parseTensorCache(
      JSON.parse(new TextDecoder().decode(await files.read('webllm/model', `${folder}tensor-cache.json`))),
      'kept',
    )
    for (const { dataPath, nbytes } of cache.records)
      expect(await files.read('webllm/model', folder + dataPath)).toHaveLength(nbytes)
    expect(WebAssembly.validate(await files.read('webllm/wasm', record.model_lib))).toBe(true)
  })

  it('take a library that the server has already unpacked', async () => {
    const files = new MemoryFiles(smallWeights(1))
    const source = await keepShippedModel(
      files,
      { location: `${PAGE}models/household-policy/`, ...LIMITS },
      served(gunzipSync),
    )
    expect(WebAssembly.validate(await files.read('webllm/wasm', source.record.model_lib))).toBe(true)
  })

  it('report a library that was cut', async () => {
    const files = new MemoryFiles(smallWeights(1))
    await expect(
      keepShippedModel(
        files,
        { location: `${PAGE}models/household-policy`, ...LIMITS },
        served((bytes) => bytes.subarray(0, 5000)),
      ),
    ).rejects.toThrow(/llama-96x3-q0f32\.wasm\.gz is damaged: it was cut while downloading\. Reload the page\./)
  })
})
