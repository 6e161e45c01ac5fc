import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { OpenProblemImporter } from '../../../../src/playground/worlds/coding/problems-worker.ts'
import { Problems } from '../../../../src/playground/worlds/coding/problems.svelte.ts'

/** Where nothing can be kept, as in Node. */
beforeEach(() => void vi.stubGlobal('navigator', {}))
afterEach(() => vi.unstubAllGlobals())

const worker = {
  async importFile(name: string) {
    if (name.startsWith('lost')) throw new Error('The worker was lost.')
    if (name.startsWith('bad')) return { isKept: false, name, reason: 'Item 1 has no question.', sound: 2 }
    const entry = { name, counts: { train: 1, id: 0, ood: 0 } }
    return { isKept: true, entry, faults: [], duplicates: [], cutTimeLimits: 0 }
  },
}
const open = (() => ({ remote: worker, terminate: () => {} })) as unknown as OpenProblemImporter

it('imports that wait for one another keep what the earlier ones reported, and the next import after them clears it', async () => {
  const problems = new Problems(open)
  const drop = (...names: string[]) => problems.importFiles(names.map((name) => new File(['x'], name)))
  await Promise.all([drop('bad.json', 'first.json'), drop('lost.json'), drop('second.json', 'first.json')])
  expect(problems.failures.map(({ name, why }) => [name, why])).toEqual([
    ['bad.json', 'Item 1 has no question.'],
    ['lost.json could not be kept.', 'The worker was lost.'],
  ])
  expect(problems.imports.map(({ entry }) => entry.name)).toEqual(['second.json', 'first.json'])
  await drop('second.json')
  expect([problems.failures, problems.imports.length]).toEqual([[], 1])
})
