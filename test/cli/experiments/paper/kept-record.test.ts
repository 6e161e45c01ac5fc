import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keptRecord } from '../../../../src/cli/experiments/paper/kept-record.ts'
import { MEASURES } from '../../../../src/cli/experiments/paper/measure-run.ts'
import { RunFolder } from '../../../../src/cli/experiments/paper/run-folder.ts'
import type { LoggedBody } from '../../../../src/method/events.ts'
import { eventLine, headerLine } from '../../../../src/runs/run-log.ts'
import { madeUpRecord } from './made-up-records.ts'

let folder: RunFolder
beforeEach(async () => {
  folder = new RunFolder(await mkdtemp(join(tmpdir(), 'kept-')))
})
afterEach(() => rm(folder.path, { recursive: true }))

const BODIES: LoggedBody[] = [
  { type: 'task-added', task: { id: 'a', rootId: 'a', instruction: 'find', kind: 'kind', body: null }, split: 'train' },
  { type: 'iteration-started', taskIds: [], pendingTaskIds: [] },
  { type: 'iteration-finished', metrics: { 'policy/acc': 0.25 } },
]

async function writeLog(): Promise<void> {
  const lines = BODIES.map((body, seq) => eventLine({ ...body, seq, iteration: 1 }))
  await writeFile(folder.logPath('made-up'), gzipSync(headerLine() + lines.join('')))
}

const told: string[] = []
const kept = () => keptRecord(folder, 'made-up', (line) => told.push(line))

it('a record of former measures is measured again from its log, once', async () => {
  const former = madeUpRecord({
    last: { 'policy/acc': 0.9 },
    checks: { gone: 1 },
    elsewhere: { desktop: { acc: 0.5 } },
  })
  for (const measures of [undefined, MEASURES - 1]) {
    told.length = 0
    await folder.finish({ ...former, measures })
    await writeLog()
    const record = await kept()
    expect(record).toEqual({
      ...former,
      ...{ measures: MEASURES, last: { 'policy/acc': 0.25 }, checks: { 'distinct-instructions': 1 } },
      ...{ early: { 'policy/acc': 0.25 }, late: { 'policy/acc': 0.25 }, mean: { 'policy/acc': 0.25 } },
    })
    expect(await kept()).toEqual(record)
    expect(told).toEqual(['Measuring made-up again, because the measures have changed'])
  }
})

it('a record of these measures needs no log, and a run without a record has none', async () => {
  expect(await kept()).toBeNull()
  await folder.finish(madeUpRecord())
  expect(await kept()).toEqual(madeUpRecord())
})

it('a record of former measures whose log cannot be read is refused, and stays', async () => {
  await folder.finish(madeUpRecord({ measures: 1 }))
  const before = await readFile(folder.recordPath('made-up'), 'utf8')
  await expect(kept()).rejects.toThrow(/its log .*made-up\.jsonl\.gz cannot be read\. Remove the record/)
  await writeLog()
  const packed = await readFile(folder.logPath('made-up'))
  await writeFile(folder.logPath('made-up'), packed.subarray(0, packed.length - 12))
  await expect(kept()).rejects.toThrow(/cannot be read/)
  expect(await readFile(folder.recordPath('made-up'), 'utf8')).toBe(before)
})
