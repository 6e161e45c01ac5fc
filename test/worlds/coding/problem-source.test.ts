import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  generatedProblems,
  importedProblems,
  NoProblemsError,
  type ImportedProblem,
} from '../../../src/worlds/coding/problem-source.ts'
import { readReleasedFile } from '../../../src/worlds/coding/released/file.ts'
import type { Split } from '../../../src/method/ports.ts'
import { numbered } from './released-items.ts'

const SPLITS: readonly Split[] = ['train', 'id', 'ood']
const ids = (tasks: readonly { id: string }[]) => tasks.map(({ id }) => id)

async function imported(counts: Partial<Record<Split, number>>): Promise<ImportedProblem[]> {
  const items = SPLITS.flatMap((split) => Array.from({ length: counts[split] ?? 0 }, () => split))
  return (await readReleasedFile(JSON.stringify(items.map((split, i) => numbered(i, { split }))))).problems
}

describe('generated problems', () => {
  const source = generatedProblems()

  it('are all different, as many as requested, and the same for the same seed', async () => {
    for (const split of SPLITS) {
      const drawn = await source.draw(split, 100, 3)
      expect(new Set(ids(drawn)).size).toBe(100)
      expect(new Set(drawn.map(({ body }) => body.statement)).size).toBe(100)
      expect(await source.draw(split, 100, 3)).toEqual(drawn)
      expect(ids(await source.draw(split, 10, 3))).toEqual(ids(drawn).slice(0, 10))
      expect(ids(await source.draw(split, 10, 4))).not.toEqual(ids(drawn).slice(0, 10))
    }
    expect(await source.draw('train', 0, 3)).toEqual([])
  })

  it('share no statement between training and evaluation', async () => {
    const statements = async (split: Split) => (await source.draw(split, 200, 1)).map(({ body }) => body.statement)
    const trained = new Set(await statements('train'))
    for (const split of ['id', 'ood'] as const) {
      expect((await statements(split)).filter((statement) => trained.has(statement))).toEqual([])
    }
  })
})

const problems = await imported({ train: 20, id: 4, ood: 3 })

describe('imported problems', () => {
  it('come from the split, each at most once, and all of them if there are no more', async () => {
    const source = importedProblems(problems)
    const there = { train: 20, id: 4, ood: 3 }
    for (const split of SPLITS) {
      for (const count of [0, 1, 3, 20, 500]) {
        const drawn = ids(await source.draw(split, count, 5))
        expect(drawn).toHaveLength(Math.min(count, there[split]))
        expect(new Set(drawn).size).toBe(drawn.length)
        for (const id of drawn) expect(problems.find(({ task }) => task.id === id)?.split).toBe(split)
      }
    }
  })

  it('are the same for the same seed, whatever the order and number of imports', async () => {
    const expected = ids(await importedProblems(problems).draw('train', 8, 3))
    const order = fc.shuffledSubarray(problems, { minLength: problems.length, maxLength: problems.length })
    await fc.assert(
      fc.asyncProperty(order, async (list) => {
        const source = importedProblems([...list, ...list.slice(0, 5)])
        expect(ids(await source.draw('train', 8, 3))).toEqual(expected)
        expect(await source.draw('train', 500, 3)).toHaveLength(20)
      }),
      { numRuns: 20 },
    )
    expect(ids(await importedProblems(problems).draw('train', 8, 4))).not.toEqual(expected)
  })

  it('may have none for evaluation, but need some for training', async () => {
    const source = importedProblems(await imported({ ood: 2 }))
    expect(await source.draw('id', 5, 0)).toEqual([])
    expect(await source.draw('ood', 5, 0)).toHaveLength(2)
    await expect(source.draw('train', 5, 0)).rejects.toThrow(NoProblemsError)
    await expect(source.draw('train', 5, 0)).rejects.toThrow(/None of the 2 imported problems .* Import more/)
    await expect(importedProblems([]).draw('train', 5, 0)).rejects.toThrow(/No problems were imported\. Import a file/)
  })
})
