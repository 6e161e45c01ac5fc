/** What WebLLM's engine says when a model cannot be loaded. */
import { describe, expect, it } from 'vitest'
import { checkShards, loadError } from '../../../src/engines/webllm/library.ts'
import { browserFiles, modelFolder } from '../../../src/engines/webllm/model-files.ts'
import type { WebLlmSource } from '../../../src/engines/webllm/loaded-model.ts'
import { WebLlmModel } from '../../../src/engines/webllm/webllm-model.ts'
import { openCaches } from '../../../src/storage/browser-storage.ts'
import { parseTensorCache } from '../../../src/weight-formats/tensor-cache.ts'
import { EMPTY_MODULE, MemoryFiles, RECORD, smallWeights } from './small-model.ts'
import { standIn } from './stand-in-webllm.ts'

const SOURCE: WebLlmSource = { record: RECORD, contextWindow: 48, sequences: 4, cacheTokens: 512 }
const named = (name: string, message: string) => Object.assign(new Error(message), { name })

describe('a model that WebLLM cannot load', () => {
  it.each([
    [named('WebGPUNotAvailableError', 'WebGPU is not supported'), /no graphics adapter for WebGPU\. Use a browser/],
    [new Error('Unable to find a compatible GPU.'), /no graphics adapter for WebGPU/],
    [
      named('ShaderF16SupportError', 'requires shader-f16'),
      /lacks shader-f16\. Choose the same model in float32: with f32/,
    ],
    [
      named('LinkError', 'Import #3 "env" "f": function import requires a callable'),
      /another version of WebLLM than 0\.2\.86/,
    ],
    [new Error('out of memory'), /\(out of memory\)\. If graphics memory is the reason, choose a smaller model/],
  ])('is reported with its cause: %s', (cause, message) => {
    const error = loadError('a-model', cause)
    expect(error.message).toMatch(message)
    expect(error.message).toMatch(/^WebLLM could not load "a-model"/)
    expect(error.cause).toBe(cause)
  })

  it('has a version that was not tried', async () => {
    const files = new MemoryFiles(smallWeights(1))
    const module = { ...standIn({ files }).module, modelVersion: 'v0_3_0/base' }
    await expect(new WebLlmModel({ importModule: async () => module, files }).load(SOURCE)).rejects.toThrow(
      /libraries are v0_3_0\/base, which was not tried\. Versions that work: 0\.2\.86\. Install one of them with npm install/,
    )
  })

  it('has a library or weights that were cut', async () => {
    const files = new MemoryFiles(smallWeights(1))
    const load = () => new WebLlmModel({ importModule: async () => standIn({ files }).module, files }).load(SOURCE)
    const shard = `${modelFolder(RECORD.model)}params_shard_0.bin`
    const whole = files.stored.get(shard)!
    files.stored.set(shard, whole.slice(0, 100))
    await expect(load()).rejects.toThrow(
      `params_shard_0.bin has 100 bytes instead of ${whole.length}: it was cut while downloading. Delete the model`,
    )
    files.stored.set(shard, whole)
    files.stored.set(RECORD.model_lib, EMPTY_MODULE.slice(0, 5))
    await expect(load()).rejects.toThrow(/small-model\.wasm, is not a whole WebAssembly module: it was cut/)
  })

  it('is loaded from the cache even if the browser has no room left', async () => {
    const files = new MemoryFiles(smallWeights(1))
    const load = () => new WebLlmModel({ importModule: async () => standIn({ files }).module, files }).load(SOURCE)
    await load()
    files.write = () => Promise.reject(new Error('full'))
    await expect(load()).resolves.toMatchObject({ usesInternals: true })
  })

  it('is loaded if only the length that the server reported differs, as for packed files', async () => {
    const files = new MemoryFiles(smallWeights(1))
    const folder = modelFolder(RECORD.model)
    const json = new TextDecoder().decode(await files.read('webllm/model', `${folder}tensor-cache.json`))
    files.list = async () => [...files.stored.keys()].map((address) => ({ address, bytes: 7 }))
    await expect(checkShards(files, folder, parseTensorCache(JSON.parse(json), folder))).resolves.toBeUndefined()
  })
})

describe('the cache of the browser', () => {
  it('is missing on plain http', async () => {
    await expect(
      browserFiles(() => openCaches('WebLLM models', { isSecureContext: false })).list('webllm/model'),
    ).rejects.toThrow(/only for pages served over https or from localhost/)
  })

  it('refuses a site', async () => {
    const refusing = { open: () => Promise.reject(new DOMException('Access is denied.', 'SecurityError')) }
    const files = browserFiles(() => refusing as unknown as CacheStorage)
    await expect(files.read('webllm/model', 'https://models.test/a')).rejects.toThrow(
      /refuses this site \(SecurityError: Access is denied\.\)\. Leave the private window/,
    )
  })

  it('says whether it is full or does not store files', async () => {
    const storing = (error: DOMException) =>
      browserFiles(() => ({ open: async () => ({ put: () => Promise.reject(error) }) }) as unknown as CacheStorage)
    const write = (error: DOMException) =>
      storing(error).write('webllm/model', 'https://models.test/a', new Uint8Array(1))
    await expect(write(new DOMException('full', 'QuotaExceededError'))).rejects.toThrow(/gives this site no more room/)
    await expect(write(new DOMException('no', 'InvalidStateError'))).rejects.toThrow(
      /does not let this site store files \(InvalidStateError: no\)/,
    )
  })
})
