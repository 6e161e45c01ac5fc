import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FULL } from '../../../../src/cli/experiments/paper/budget.ts'
import { recordingName, withRecordings } from '../../../../src/cli/experiments/paper/recordings.ts'
import { madeUpResults } from '../../../results/made-up-results.ts'
import { writeRecording } from './made-up-recording.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'recordings-'))
  await mkdir(join(root, 'public/runs'), { recursive: true })
})
afterEach(() => rm(root, { recursive: true }))

describe('the recorded run of an arm', () => {
  it('is named by all that makes it another', () => {
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

  it('is offered where it ships, and not for the untrained row', async () => {
    const recorded = async () =>
      (await withRecordings(root, madeUpResults())).rows.flatMap(({ id, recording }) => (recording ? [id] : []))
    expect(await recorded()).toEqual([])
    await writeRecording(root, 'household-full', { seed: 0, id: 0.59 })
    expect(await recorded()).toEqual(['full'])
  })

  it.each([
    ['as its row says of its seed', { seed: 1, id: 0.6 }, undefined],
    ['otherwise than its row says of its seed', { seed: 1, id: 0.61 }, true],
    ['with a seed that the row lacks', { seed: 9, id: 0.3 }, undefined],
  ])('ended %s', async (_, end, differs) => {
    await writeRecording(root, 'household-full', end)
    const { rows } = await withRecordings(root, madeUpResults())
    expect(rows.find(({ id }) => id === 'full')?.recordingDiffers).toBe(differs)
  })
})
