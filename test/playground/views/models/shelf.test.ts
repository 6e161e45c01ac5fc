import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { localFolderReader } from '../../../../src/engines/transformer/local-folders.ts'
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
const named = (name: string, text = '{}', folder = 'mine') =>
  Object.defineProperty(new File([text], name), 'webkitRelativePath', { value: `${folder}/${name}` })
const FOLDER = [named('config.json'), named('tokenizer.json'), named('model.safetensors')]

it('a model that could not be deleted stays, with the reason, although the shelf looks again', async () => {
  const shelf = new ModelsShelf(() => [])
  await shelf.keepFolder(FOLDER)
  const [folder] = shelf.folders
  expect(folder!.name).toMatch(/^mine@[0-9a-f]{8}$/)
  const folders = await (await root.system.getDirectory()).getDirectoryHandle('model-folders')
  vi.spyOn(folders, 'removeEntry').mockRejectedValueOnce(new Error('Another tab uses it.'))
  await shelf.deleteFolder(folder!.name)
  expect([shelf.folders.length, shelf.problem]).toEqual([1, 'Another tab uses it.'])
  await shelf.deleteFolder(folder!.name)
  expect([shelf.folders.length, shelf.problem]).toEqual([0, null])
})

it('folders of one name are different models by what they hold, and the same one is copied once', async () => {
  const shelf = new ModelsShelf(() => [])
  const first = await shelf.keepFolder(FOLDER)
  const other = await shelf.keepFolder([...FOLDER.slice(0, 2), named('model.safetensors', '[]')])
  expect(other).not.toBe(first)
  const unread = vi.fn()
  const again = [named('training_args.bin'), ...FOLDER.toReversed()].map((file) =>
    Object.defineProperty(file, 'stream', { value: unread, configurable: true }),
  )
  expect(await shelf.keepFolder(again)).toBe(first)
  expect(unread).not.toHaveBeenCalled()
  expect(shelf.folders.map(({ name }) => name)).toEqual([first!, other!].toSorted())
})

it('a folder that lacks files is refused by its own name, before it is read', async () => {
  const shelf = new ModelsShelf(() => [])
  expect(await shelf.keepFolder([named('config.json')])).toBeNull()
  expect(shelf.problem).toMatch(/^The folder "mine" lacks tokenizer\.json, model\.safetensors\./)
})

it('a folder of the same name whose copy fails takes none away', async () => {
  const shelf = new ModelsShelf(() => [])
  const first = await shelf.keepFolder([named('config.json'), named('tokenizer.json'), named('model.safetensors')])
  const gone = named('model.safetensors', '[]')
  gone.stream = () => new ReadableStream({ pull: () => Promise.reject(new Error('The file was moved.')) })
  expect(await shelf.keepFolder([named('config.json'), named('tokenizer.json'), gone])).toBeNull()
  expect(shelf.problem).toContain('The file was moved.')
  expect(shelf.folders.map(({ name }) => name)).toEqual([first])
})

it('the files of folders within a chosen folder belong to other models', async () => {
  const shelf = new ModelsShelf(() => [])
  const within = (folder: string) => ['config.json', 'tokenizer.json', 'model.safetensors'].map((name) => named(name, folder, folder)) // prettier-ignore
  expect(await shelf.keepFolder([...within('run/reward'), ...within('run/policy'), named('checkpoint.json', '', 'run')])).toBeNull() // prettier-ignore
  expect(shelf.problem).toBe(
    'The folder "run" has no config.json, but folders of models. Choose one of them: policy, reward.',
  )
  const name = await shelf.keepFolder([...within('trained/checkpoint-500'), ...within('trained')])
  const weights = await (await localFolderReader(name!)).read('model.safetensors')
  expect(new TextDecoder().decode(weights)).toBe('trained')
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
