import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { publish, readPublished, writeResults } from '../../../../src/cli/experiments/paper/publish-results.ts'
import { writeRecording } from './made-up-recording.ts'
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
    await writeRecording(root, 'household-full', { seed: 0, id: 0.59 })
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
})
