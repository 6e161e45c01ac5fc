import { describe, expect, it } from 'vitest'
import { readReleasedFile } from '../../../../src/worlds/coding/released/released-format.ts'
import { MemoryProblemLibrary } from '../../../../src/worlds/coding/library/memory-library.ts'
import { numbered } from '../released-items.ts'

const problemsOf = async (from: number, to: number, split = 'train') => {
  const items = Array.from({ length: to - from }, (_, i) => numbered(from + i, { split }))
  return (await readReleasedFile(JSON.stringify(items))).problems
}
const some = [...(await problemsOf(0, 3)), ...(await problemsOf(3, 5, 'ood'))]

describe('a library of problems in memory', () => {
  it('keeps files by name, with the counts of their splits', async () => {
    const library = new MemoryProblemLibrary()
    await library.put({ name: 'b.jsonl', problems: some })
    await library.put({ name: 'a.json', problems: await problemsOf(5, 6, 'id') })
    expect(await library.list()).toEqual([
      { name: 'a.json', counts: { train: 0, id: 1, ood: 0 } },
      { name: 'b.jsonl', counts: { train: 3, id: 0, ood: 2 } },
    ])
    expect(await library.problems()).toEqual([...(await problemsOf(5, 6, 'id')), ...some])
  })

  it('takes a file for the one of the same name, and forgets files that are deleted', async () => {
    const library = new MemoryProblemLibrary()
    await library.put({ name: 'a', problems: some })
    await library.put({ name: 'b', problems: await problemsOf(5, 6) })
    await library.put({ name: 'a', problems: await problemsOf(6, 8) })
    expect(await library.problems()).toEqual([...(await problemsOf(6, 8)), ...(await problemsOf(5, 6))])
    await library.delete('a')
    await library.delete('never there')
    expect(await library.problems()).toEqual(await problemsOf(5, 6))
    await library.clear()
    expect([await library.list(), await library.problems()]).toEqual([[], []])
  })
})
