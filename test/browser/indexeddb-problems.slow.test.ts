/** The library of imported problems in a real IndexedDB. Its sources are served without a build. */
import { describe, expect, it } from 'vitest'
import { readReleasedFile } from '../../src/worlds/coding/released/file.ts'
import { numbered } from '../worlds/coding/released-items.ts'
import { useBlankPage } from './blank-page.ts'

/** The module's exports are globals of the page. */
type LibraryModule = typeof import('../../src/worlds/coding/library/indexeddb-library.ts')

const problemsOf = async (from: number, count: number) => {
  const items = Array.from({ length: count }, (_, i) =>
    numbered(from + i, i === 0 ? { split: 'ood' } : { split: 'train' }),
  )
  return (await readReleasedFile(JSON.stringify(items))).problems
}
/** More than one read returns, and not a multiple of that. */
const many = { name: 'many.jsonl', problems: await problemsOf(0, 250) }
const few = { name: 'a few.json', problems: await problemsOf(300, 2) }

describe('problems stored in the browser', () => {
  const { open } = useBlankPage('src/worlds/coding/library/indexeddb-library.ts')

  it('survive a reload, unchanged and in the order of their files', async () => {
    const { page } = await open()
    await page.evaluate(
      async (files) => {
        const { IndexedDbProblemLibrary } = globalThis as unknown as LibraryModule
        const library = new IndexedDbProblemLibrary('test')
        for (const file of files) await library.put(file)
      },
      [many, few],
    )
    await page.reload()
    const found = await page.evaluate(async () => {
      const { IndexedDbProblemLibrary } = globalThis as unknown as LibraryModule
      const library = new IndexedDbProblemLibrary('test')
      return { entries: await library.list(), problems: await library.problems() }
    })
    expect(found.entries).toEqual([
      { name: 'a few.json', counts: { train: 1, id: 0, ood: 1 } },
      { name: 'many.jsonl', counts: { train: 249, id: 0, ood: 1 } },
    ])
    expect(found.problems).toEqual([...few.problems, ...many.problems])
  })

  it('are replaced by a file of the same name, and removed one file at a time', async () => {
    const { page } = await open()
    const found = await page.evaluate(
      async ({ many, few }) => {
        const { IndexedDbProblemLibrary } = globalThis as unknown as LibraryModule
        const library = new IndexedDbProblemLibrary('test')
        const none = await library.problems()
        await library.put(many)
        await library.put({ ...few, name: `${many.name}.old` })
        await library.put({ ...few, name: many.name })
        const replaced = [await library.list(), await library.problems()]
        await library.delete(many.name)
        await library.delete('never there')
        return { none, replaced, deleted: [await library.list(), await library.problems()] }
      },
      { many, few },
    )
    const counts = { train: 1, id: 0, ood: 1 }
    const old = { name: 'many.jsonl.old', counts }
    expect(found.none).toEqual([])
    expect(found.replaced).toEqual([
      [{ name: 'many.jsonl', counts }, old],
      [...few.problems, ...few.problems],
    ])
    expect(found.deleted).toEqual([[old], few.problems])
  })

  it('do not change if a new file cannot be stored', async () => {
    const { page } = await open()
    const found = await page.evaluate(async (file) => {
      const { IndexedDbProblemLibrary } = globalThis as unknown as LibraryModule
      const library = new IndexedDbProblemLibrary('test')
      await library.put(file)
      const bad = { ...file.problems[1]!, task: (() => {}) as unknown as (typeof file.problems)[0]['task'] }
      const error = await library
        .put({ name: file.name, problems: [file.problems[0]!, bad] })
        .catch((reason: unknown) => reason as Error)
      return { error: error && { name: error.name, message: error.message }, problems: await library.problems() }
    }, few)
    expect(found.error).toMatchObject({ name: 'LibraryError' })
    expect(found.problems).toEqual(few.problems)
  })
})
