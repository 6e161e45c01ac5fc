import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  publish,
  readPublished,
  recordingName,
  writeResults,
} from '../../../../src/cli/experiments/paper/publish-results.ts'
import { FULL } from '../../../../src/cli/experiments/paper/budget.ts'
import { madeUpResults } from '../../../results/made-up-results.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'publish-'))
  await mkdir(join(root, 'public/results'), { recursive: true })
  await mkdir(join(root, 'public/runs'), { recursive: true })
  await mkdir(join(root, 'docs'))
  await writeFile(join(root, 'public/results/index.json'), '{"tables":["votes"]}\n')
  await writeFile(join(root, 'public/results/votes.json'), JSON.stringify(madeUpResults({ table: 'votes' })))
  await cp(join(import.meta.dirname, '../../../../docs/results.md'), join(root, 'docs/results.md'))
})
afterEach(() => rm(root, { recursive: true }))

describe('publishing results', () => {
  it('writes the file, the list of tables, and the documentation', async () => {
    await writeFile(join(root, 'public/runs/household-full.jsonl.gz'), '')
    await publish(root, [madeUpResults()])
    expect(await readPublished(root, 'household')).toEqual(madeUpResults())
    expect(await readPublished(root, 'map')).toBeNull()
    const index: unknown = JSON.parse(await readFile(join(root, 'public/results/index.json'), 'utf8'))
    expect(index).toEqual({ tables: ['household', 'votes'] })
    const page = await readFile(join(root, 'docs/results.md'), 'utf8')
    expect(page).toContain('| Full loop | 60.0 ± 2.5 % |')
    expect(page).toContain('| GRPO above the full loop | **does not hold** | −10.5 points (−16.9 to −4.1) |')
    expect(page).toContain('npm run experiments -- paper --table map\n')
  })

  it('refuses what the page could not read, or would load too slowly', async () => {
    await expect(writeResults(root, madeUpResults({ seeds: [0] }))).rejects.toThrow(/one value for each seed/)
    await expect(writeResults(root, madeUpResults({ title: 'x'.repeat(60_000) }))).rejects.toThrow(/has 6\d{4} bytes/)
  })

  it('names the recorded run of an arm by all that makes it another', () => {
    const full = { preset: 'household+full', settings: {}, iterations: FULL.iterations.household }
    expect(recordingName(full)).toBe('household-full')
    expect(recordingName({ ...full, settings: { lambda: 4 } })).toBe('household-full-lambda-4')
    expect(recordingName({ ...full, settings: { lambda: 1 } })).toBe('household-full')
    expect(recordingName({ ...full, preset: 'coding+full', settings: { lambda: 1 }, iterations: 160 })).toBe(
      'coding-full-lambda-1',
    )
    expect(recordingName({ ...full, iterations: 80 })).toBe('household-full-80-iterations')
    expect(recordingName({ ...full, start: 'weak' })).toBe('household-full-weak')
    expect(recordingName(full, true)).toBe('household-full-early-judge')
    expect(recordingName({ ...full, preset: 'household+grpo' }, true)).toBe('household-grpo')
  })

  it('finds the recorded runs of every published table', async () => {
    const recorded = async (table: 'household' | 'votes') =>
      (await readPublished(root, table))!.rows.filter(({ recording }) => recording).map(({ id }) => id)
    await writeFile(join(root, 'public/runs/household-grpo.jsonl.gz'), '')
    await publish(root, [madeUpResults()])
    expect([await recorded('household'), await recorded('votes')]).toEqual([['grpo'], ['grpo']])
    // One that ships no longer is no longer offered.
    await rm(join(root, 'public/runs/household-grpo.jsonl.gz'))
    await writeFile(join(root, 'public/runs/household-full.jsonl.gz'), '')
    await publish(root, [])
    expect([await recorded('household'), await recorded('votes')]).toEqual([['full'], ['full']])
  })
})
