import { describe, expect, it } from 'vitest'
import {
  keepLocalFolder,
  localFolderReader,
  localFolders,
  removeLocalFolder,
} from '../../../src/engines/transformer/local-folders.ts'
import { fileSystem } from './memory-file-system.ts'

const FILES = {
  'config.json': '{}',
  'tokenizer.json': '{"a":1}',
  'model.safetensors': 'weights',
  'generation_config.json': '[]',
  'pytorch_model.bin': 'x',
}
const filesOf = (contents: Record<string, string>) =>
  Object.entries(contents).map(([name, text]) => new File([text], name))

describe('a folder added to the page', () => {
  it('is kept under its name, with only the files that are read', async () => {
    const root = fileSystem()
    const told: number[][] = []
    const kept = await keepLocalFolder('my model/1', filesOf(FILES), (...numbers) => told.push(numbers), root)
    expect(kept).toEqual({ name: 'my model/1', bytes: 18 })
    expect(told.at(-1)).toEqual([18, 18])
    expect(await localFolders(root)).toEqual([kept])
    const reader = await localFolderReader('my model/1', root)
    expect(reader.name).toBe('my model/1')
    expect(new TextDecoder().decode(await reader.read('model.safetensors'))).toBe('weights')
    expect(await reader.read('generation_config.json')).toHaveLength(2)
    await expect(reader.read('pytorch_model.bin')).rejects.toMatchObject({ isMissing: true })
  })

  it('replaces one of the same name, and can be removed', async () => {
    const root = fileSystem()
    await keepLocalFolder('m', filesOf({ ...FILES, 'chat_template.jinja': '{{ x }}' }), undefined, root)
    await keepLocalFolder('m', filesOf(FILES), undefined, root)
    await expect((await localFolderReader('m', root)).read('chat_template.jinja')).rejects.toThrow()
    await removeLocalFolder('m', root)
    await removeLocalFolder('m', root)
    expect(await localFolders(root)).toEqual([])
    await expect(localFolderReader('m', root)).rejects.toThrow(/The folder "m" is no longer in this browser/)
  })

  it('that belongs to a version of a world’s models asks for that version', async () => {
    await expect(localFolderReader('mine.models@1a2b3c4d/own-policy', fileSystem())).rejects.toThrow(
      'The folder "mine.models@1a2b3c4d/own-policy" is no longer in this browser. It belongs to version 1a2b3c4d of mine.models: ' +
        'drop that folder on this page, with the same files as then.',
    )
  })

  it('is refused with the missing files, before anything is copied', async () => {
    const root = fileSystem()
    await expect(keepLocalFolder('m', filesOf({ 'config.json': '{}' }), undefined, root)).rejects.toThrow(
      /lacks tokenizer\.json, model\.safetensors/,
    )
    expect(await localFolders(root)).toEqual([])
  })

  it('leaves nothing behind if its copy is cancelled, and says why it was', async () => {
    const root = fileSystem()
    const stop = new AbortController()
    const onBytes = (done: number) => done > 2 && stop.abort(new Error('cancelled'))
    await expect(keepLocalFolder('m', filesOf(FILES), onBytes, root, stop.signal)).rejects.toThrow(/^cancelled$/)
    expect(await localFolders(root)).toEqual([])
  })

  it('leaves nothing behind if there is no space', async () => {
    const root = fileSystem(10)
    await expect(keepLocalFolder('m', filesOf(FILES), undefined, root)).rejects.toThrow(
      /could not be copied \(no room\)/,
    )
    expect(await localFolders(root)).toEqual([])
  })
})
