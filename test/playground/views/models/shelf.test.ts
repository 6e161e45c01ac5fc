import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ModelsShelf } from '../../../../src/playground/views/models/shelf.svelte.ts'
import { fileSystem } from '../../../engines/transformer/memory-file-system.ts'

const root = { system: fileSystem() }
beforeEach(() => {
  root.system = fileSystem()
  vi.stubGlobal('navigator', { storage: { getDirectory: () => root.system.getDirectory() } })
  vi.stubGlobal('caches', { open: async () => ({ keys: async () => [], put: async () => {} }) })
  vi.stubGlobal('location', { origin: 'https://page.test' })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** As a file of a chosen folder. */
const named = (name: string, text = '{}') =>
  Object.defineProperty(new File([text], name), 'webkitRelativePath', { value: `mine/${name}` })
const FOLDER = [named('config.json'), named('tokenizer.json'), named('model.safetensors')]

it('a model that could not be deleted stays, with the reason, although the shelf looks again', async () => {
  const shelf = new ModelsShelf(() => [])
  await shelf.keepFolder(FOLDER)
  expect(shelf.folders.map(({ name }) => name)).toEqual(['mine'])
  const folders = await (await root.system.getDirectory()).getDirectoryHandle('model-folders')
  vi.spyOn(folders, 'removeEntry').mockRejectedValueOnce(new Error('Another tab uses it.'))
  await shelf.deleteFolder('mine')
  expect([shelf.folders.length, shelf.problem]).toEqual([1, 'Another tab uses it.'])
  await shelf.deleteFolder('mine')
  expect([shelf.folders.length, shelf.problem]).toEqual([0, null])
})

it('a folder whose copy is cancelled leaves nothing, and is no problem', async () => {
  const shelf = new ModelsShelf(() => [])
  const endless = named('model.safetensors')
  endless.stream = () => new ReadableStream({ pull: () => new Promise(() => {}) })
  const keeping = shelf.keepFolder([named('config.json'), named('tokenizer.json'), endless])
  await vi.waitFor(() => expect(shelf.transfer).not.toBeNull())
  shelf.cancel()
  expect(await keeping).toBeNull()
  expect([shelf.transfer, shelf.problem, shelf.folders]).toEqual([null, null, []])
  expect(shelf.news).toBe('Loading mine was cancelled.')
})

it('the news of a copy is its beginning and its end, whatever its bytes', async () => {
  const shelf = new ModelsShelf(() => [])
  vi.useFakeTimers({ toFake: ['performance'] })
  const seen: [string, number][] = []
  const weights = [1, 2, 3].map((part) => {
    const file = named(`model-0000${part}-of-00003.safetensors`, '1234')
    const stream = file.stream.bind(file)
    file.stream = () => {
      seen.push([shelf.news, shelf.transfer!.state.done])
      // Bytes are shown every 200 ms.
      vi.advanceTimersByTime(1000)
      return stream()
    }
    return file
  })
  await shelf.keepFolder([...weights, named('config.json'), named('tokenizer.json')])
  expect(seen).toEqual([0, 4, 8].map((bytes) => ['Loading mine…', bytes]))
  expect(shelf.news).toBe('mine is in this browser now.')
})

it('a WebLLM folder whose copy is cancelled is read no further', async () => {
  const shelf = new ModelsShelf(() => [])
  const read: string[] = []
  const files = ['tensor-cache.json', 'mlc-chat-config.json', 'tokenizer.json', 'model.wasm', 'a.bin', 'b.bin'].map(
    (name) => {
      const records = ['a.bin', 'b.bin'].map((dataPath) => ({
        dataPath,
        format: 'raw-shard',
        nbytes: 2,
        records: [],
      }))
      const file = named(name, name === 'tensor-cache.json' ? JSON.stringify({ metadata: {}, records }) : '{}')
      const bytes = file.arrayBuffer.bind(file)
      file.arrayBuffer = () => {
        read.push(name)
        if (name === 'a.bin') shelf.cancel()
        return bytes()
      }
      return file
    },
  )
  expect(await shelf.keepWebLlmFolder(files)).toBeNull()
  expect([read, shelf.problem]).toEqual([['tensor-cache.json', 'a.bin'], null])
})
