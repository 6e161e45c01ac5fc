import { describe, expect, it } from 'vitest'
import { chosenFiles, isRunLogName, takeDrop, type PickedFile } from '../../src/storage/dropped-files.ts'

/** A folder as the browser presents it: up to a hundred children at a time; null is a file that cannot be opened. */
type Tree = { [name: string]: Tree | string | null }

function entryOf(name: string, content: Tree | string | null, parent = ''): FileSystemEntry {
  const fullPath = `${parent}/${name}`
  const isFile = typeof content === 'string' || content === null
  const entry = { name, fullPath, isFile, isDirectory: !isFile }
  if (isFile) {
    const file = (resolve: (file: File) => void, reject: (error: DOMException) => void) =>
      content === null
        ? reject(new DOMException('not allowed', 'NotReadableError'))
        : resolve(new File([content], name))
    return { ...entry, file } as unknown as FileSystemEntry
  }
  const children = Object.entries(content).map(([child, inner]) => entryOf(child, inner, fullPath))
  const createReader = () => ({
    readEntries: (resolve: (entries: FileSystemEntry[]) => void) => resolve(children.splice(0, 100)),
  })
  return { ...entry, createReader } as unknown as FileSystemEntry
}

function transferOf(tree: Tree): DataTransfer {
  const items = Object.entries(tree).map(([name, content]) => ({
    kind: 'file',
    webkitGetAsEntry: () => entryOf(name, content),
    getAsFile: () => new File([typeof content === 'string' ? content : ''], name),
  }))
  return { items: [{ kind: 'string' }, ...items] } as unknown as DataTransfer
}

async function collect(files: AsyncIterable<PickedFile> | null): Promise<PickedFile[]> {
  const found: PickedFile[] = []
  for await (const file of files ?? []) found.push(file)
  return found
}
const pathsOf = async (files: AsyncIterable<PickedFile> | null) => (await collect(files)).map(({ path }) => path)

describe('what is dropped on the page', () => {
  it('is walked folder by folder, with paths from the folder that was dropped', async () => {
    const { logs, files } = takeDrop(
      transferOf({
        'json_2.1.1': { train: { task: { trial: { 'game.tw-pddl': '{}' } } }, 'readme.txt': '' },
        'a.zip': 'PK',
      }),
    )
    expect(logs).toEqual([])
    expect(await pathsOf(files)).toEqual(['json_2.1.1/readme.txt', 'json_2.1.1/train/task/trial/game.tw-pddl', 'a.zip'])
  })

  it('is complete even if a folder has more files than the browser lists at a time', async () => {
    const folder = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`${i}.tw-pddl`, '{}']))
    expect(await pathsOf(takeDrop(transferOf({ folder })).files)).toHaveLength(250)
  })

  it('reports a file that the browser does not open, and continues', async () => {
    const found = await collect(takeDrop(transferOf({ folder: { 'a.tw-pddl': null, 'b.tw-pddl': '{}' } })).files)
    expect(found).toMatchObject([
      { path: 'folder/a.tw-pddl', file: null, reason: 'The file could not be opened: not allowed' },
      { path: 'folder/b.tw-pddl', file: { name: 'b.tw-pddl' } },
    ])
  })

  it('is a run log by its name; other text only if it is dropped alone', async () => {
    expect(takeDrop(transferOf({ 'mine.jsonl.gz': '' }))).toMatchObject({
      logs: [{ name: 'mine.jsonl.gz' }],
      files: null,
    })
    expect(takeDrop(transferOf({ 'mine.txt': '' }))).toMatchObject({ logs: [{ name: 'mine.txt' }], files: null })
    const both = takeDrop(transferOf({ 'mine.jsonl': '', 'game.tw-pddl': '{}', 'notes.txt': '' }))
    expect(both.logs).toMatchObject([{ name: 'mine.jsonl' }])
    expect(await pathsOf(both.files)).toEqual(['game.tw-pddl', 'notes.txt'])
    expect(takeDrop(transferOf({ 'folder.jsonl': {} }))).toMatchObject({ logs: [] })
    expect([isRunLogName('game.tw-pddl', true), isRunLogName('a.zip', true)]).toEqual([false, false])
  })
})

describe('what is chosen with a button', () => {
  it('has the path below the chosen folder, or the name alone', async () => {
    const inFolder = Object.assign(new File([''], 'game.tw-pddl'), {
      webkitRelativePath: 'train/task/trial/game.tw-pddl',
    })
    const alone = Object.assign(new File([''], 'games.zip'), { webkitRelativePath: '' })
    expect(await pathsOf(chosenFiles([inFolder, alone]))).toEqual(['train/task/trial/game.tw-pddl', 'games.zip'])
  })
})
