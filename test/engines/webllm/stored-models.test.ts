import { describe, expect, it } from 'vitest'
import { ModelFileError } from '../../../src/language-model/files/model-reader.ts'
import { browserFiles, modelFolder, readAndKeepOptional } from '../../../src/engines/webllm/model-files.ts'
import { deleteModel, keepLocalModel, storedModels, type LocalFile } from '../../../src/engines/webllm/stored-models.ts'
import type { ModelRecord } from '../../../src/roles/source.ts'
import { TransferMeter } from '../../../src/engines/webllm/transfer-meter.ts'
import { WebLlmModel } from '../../../src/engines/webllm/webllm-model.ts'
import { EMPTY_MODULE, MemoryFiles, RECORD, smallWeights } from './small-model.ts'
import { standIn } from './stand-in-webllm.ts'

/** Opens the used part of the browser's Cache Storage, which is empty. */
function opened(): () => CacheStorage {
  const stores = new Map<string, Map<string, Response>>()
  const caches = {
    async open(name: string) {
      const store = stores.get(name) ?? new Map<string, Response>()
      stores.set(name, store)
      return {
        match: async (request: string | Request) =>
          store.get(typeof request === 'string' ? request : request.url)?.clone(),
        put: async (address: string, response: Response) => void store.set(address, response),
        delete: async (address: string) => store.delete(address),
        keys: async () => [...store.keys()].map((address) => new Request(address)),
      }
    },
  } as unknown as CacheStorage
  return () => caches
}

const offline = (() => Promise.reject(new TypeError('offline'))) as unknown as typeof fetch

/** The small model as local files. */
function localFolder(): LocalFile[] {
  const folder = modelFolder(RECORD.model)
  const files = [...new MemoryFiles(smallWeights(1)).stored].map(([address, bytes]) => ({
    name: address.slice(folder.length),
    read: async () => bytes,
  }))
  return [...files, { name: 'small.wasm', read: async () => EMPTY_MODULE }]
}

describe('models in the cache', () => {
  it('are added from a folder, listed with their bytes, loaded offline, and removed', async () => {
    const files = browserFiles(opened(), offline)
    const record = await keepLocalModel(files, 'my model', 'https://site.test', localFolder())
    expect(record.model).toBe('https://site.test/local-models/my%20model/resolve/main/')
    const bytes = (await Promise.all(localFolder().map(({ read }) => read()))).reduce(
      (sum, { length }) => sum + length,
      0,
    )
    expect(await storedModels(files, [record, RECORD])).toEqual([{ id: 'my model', bytes, isComplete: true }])

    const { module } = standIn({ files: files as MemoryFiles })
    const model = new WebLlmModel({ importModule: async () => module, files })
    const info = await model.load({ record, contextWindow: 64, sequences: 2, cacheTokens: 128 })
    expect(info.usesInternals).toBe(true)

    await files.remove('webllm/model', `${record.model}params_shard_0.bin`)
    expect(await storedModels(files, [record])).toMatchObject([{ isComplete: false }])
    await deleteModel(files, record, [record])
    expect(await storedModels(files, [record])).toEqual([])
  })

  it('are listed and can be removed even if their list of tensors is damaged', async () => {
    const files = browserFiles(opened(), offline)
    const record = await keepLocalModel(files, 'my model', 'https://site.test', localFolder())
    await files.write('webllm/model', `${record.model}tensor-cache.json`, new TextEncoder().encode('<!doctype html>'))
    expect(await storedModels(files, [record])).toMatchObject([{ id: 'my model', isComplete: false }])
    await deleteModel(files, record, [record])
    expect(await storedModels(files, [record])).toEqual([])
  })

  it('share a library until the last of them is removed', async () => {
    const files = browserFiles(opened(), offline)
    const first = await keepLocalModel(files, 'a', 'https://site.test', localFolder())
    const second: ModelRecord = {
      ...(await keepLocalModel(files, 'b', 'https://site.test', localFolder())),
      model_lib: first.model_lib,
    }
    const shared: ModelRecord = { ...first, model_lib: 'https://site.test/lib.wasm' }
    const other: ModelRecord = { ...second, model_lib: 'https://site.test/lib.wasm' }
    await files.write('webllm/wasm', 'https://site.test/lib.wasm', new Uint8Array(7))
    await deleteModel(files, shared, [shared, other])
    expect((await files.list('webllm/wasm')).map(({ address }) => address)).toContain('https://site.test/lib.wasm')
    await deleteModel(files, other, [shared, other])
    expect((await files.list('webllm/wasm')).map(({ address }) => address)).not.toContain('https://site.test/lib.wasm')
  })

  it('are refused if the folder is incomplete, with the missing files', async () => {
    const files = browserFiles(opened(), offline)
    const keep = (folder: LocalFile[]) => keepLocalModel(files, 'x', 'https://site.test', folder)
    const without = (name: string) => localFolder().filter((file) => file.name !== name)
    await expect(keep(without('small.wasm'))).rejects.toThrow(/compiled library/)
    await expect(keep(without('tokenizer.json'))).rejects.toThrow(/lacks tokenizer\.json/)
    await expect(keep(without('params_shard_1.bin'))).rejects.toThrow(/params_shard_1\.bin/)
    expect(await files.list('webllm/model')).toEqual([])
    const cut = localFolder().map((file) =>
      file.name === 'params_shard_1.bin' ? { ...file, read: async () => new Uint8Array(3) } : file,
    )
    await expect(keep(cut)).rejects.toThrow(/3 bytes instead of/)
    expect(await files.list('webllm/model')).toEqual([])
  })

  it('report an unreachable address', async () => {
    const files = browserFiles(opened(), offline)
    await expect(files.read('webllm/model', 'https://site.test/a')).rejects.toThrow(/could not be reached/)
    const gone = browserFiles(opened(), async () => new Response('', { status: 404 }))
    await expect(gone.read('webllm/model', 'https://site.test/a')).rejects.toThrow(/answered 404/)
    const busy = browserFiles(opened(), async () => new Response('', { status: 429 }))
    await expect(busy.read('webllm/model', 'https://site.test/a')).rejects.toThrow(/answered 429\. The server is busy/)
    const isMissing = async (status: number) => {
      const answering = browserFiles(opened(), async () => new Response('', { status }))
      const error: unknown = await answering
        .read('webllm/model', 'https://site.test/a')
        .catch((cause: unknown) => cause)
      return error instanceof ModelFileError && error.isMissing
    }
    expect(await Promise.all([404, 410, 401, 403, 500, 503].map(isMissing))).toEqual([
      true,
      true,
      ...Array<boolean>(4).fill(false),
    ])
    const forbidding = browserFiles(opened(), async () => new Response('', { status: 403 }))
    await expect(readAndKeepOptional(forbidding, 'webllm/config', 'https://site.test/a')).rejects.toMatchObject({
      isMissing: true,
    })
    const answering = browserFiles(opened(), async () => new Response(Uint8Array.of(1, 2)))
    expect(await answering.read('webllm/model', 'https://site.test/a')).toEqual(Uint8Array.of(1, 2))
  })

  it('have the addresses that WebLLM derives from a record', () => {
    expect(modelFolder('https://huggingface.co/mlc-ai/x')).toBe('https://huggingface.co/mlc-ai/x/resolve/main/')
    expect(modelFolder('https://huggingface.co/mlc-ai/x/resolve/v2')).toBe(
      'https://huggingface.co/mlc-ai/x/resolve/v2/',
    )
  })
})

describe('a download', () => {
  it('reports the speed of its last seconds and the remaining time', () => {
    let now = 0
    const meter = new TransferMeter(() => now)
    expect(meter.update(0, 100e6)).toEqual({ done: 0, total: 100e6, bytesPerSecond: 0, secondsLeft: null })
    now = 2000
    expect(meter.update(10e6, 100e6)).toMatchObject({ bytesPerSecond: 5e6, secondsLeft: 18 })
    // The first minute was fast, but only the current speed counts.
    for (let second = 3; second <= 20; second++) {
      now = 1000 * second
      meter.update(10e6 + (second - 2) * 1e6, 100e6)
    }
    expect(meter.update(28e6, 100e6)).toMatchObject({ bytesPerSecond: 1e6, secondsLeft: 72 })
    now = 21_000
    expect(meter.update(100e6, 100e6).secondsLeft).toBe(0)
    now = 22_000
    expect(meter.update(5e6, 50e6)).toMatchObject({ bytesPerSecond: 0, secondsLeft: null })
  })
})
