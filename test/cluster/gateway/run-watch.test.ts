import fs, { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Journal } from '../../../src/cluster/gateway/journal.ts'
import { Redactor } from '../../../src/cluster/gateway/redactor.ts'
import { RunWatch } from '../../../src/cluster/gateway/run-watch.ts'
import { releasedSettings } from '../../../src/cluster/released/systems.ts'
import type { LoggedEvent } from '../../../src/method/events.ts'

const PROJECT = 'a_run'
/** The dump of every step after the first, which uses the trained model. */
const DUMP = `outputs-rl-...${PROJECT}.ckpt.optimized-train.json`
const LOG_LINE = 'the last line of the log'

/** Fails after some bytes, as a disk does that becomes full. */
function fillDisk(after: number): () => void {
  const { writeSync } = fs
  const spy = vi.spyOn(fs, 'writeSync').mockImplementation(((
    file: number,
    bytes: Buffer,
    from: number,
    _: number,
    at: number,
  ) => {
    if (after === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    const written = writeSync(file, bytes, from, Math.min(after, bytes.length - from), at)
    after -= written
    return written
  }) as typeof writeSync)
  syncBuiltinESMExports()
  return () => {
    spy.mockRestore()
    syncBuiltinESMExports()
  }
}

let checkout: string
let watch: RunWatch
let logLines: string[]
let notices: string[]

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'run-watch-'))
  for (const name of ['results', 'temp_data', 'run']) mkdirSync(join(checkout, PROJECT, name), { recursive: true })
  logLines = []
  notices = []
  watch = new RunWatch({
    folder: join(checkout, PROJECT, 'run'),
    source: {
      system: 'alfworld',
      checkout,
      project: PROJECT,
      config: {
        model: { policy_model: '/models/tiny', optimized_name: 'optimized' },
        dataset: { environment_type: 'train', environment_data_dir: join(checkout, 'none') },
      },
      groupsPerStep: 1,
    },
    identity: {
      system: 'alfworld',
      split: 'id',
      limits: { characters: 100, reasoningCharacters: 10 },
      started: {
        runId: PROJECT,
        settings: releasedSettings('alfworld'),
        preset: 'own',
        backend: 'test',
        models: { policy: 'a', reward: 'b', author: 'c' },
      },
    },
    redactor: new Redactor([]),
    listener: {
      onEvents: () => {},
      onNow: () => {},
      onLog: ({ lines }) => logLines.push(...lines.map(({ text }) => text)),
      onNotice: (notice) => notices.push(notice),
    },
  })
})
afterEach(async () => {
  await watch.close()
  rmSync(checkout, { recursive: true, force: true })
})

function writeSteps(steps: readonly number[]): void {
  const line = (step: number) =>
    `step: ${step}   acc: 0.5   avg step: 3   avg response length: 4   max_prompt_length: 5   moved: 0   deleted: 0   missing: 0   skipped: 0\n`
  writeFileSync(join(checkout, PROJECT, 'results', 'results-rl-x.txt'), steps.map(line).join(''))
}

const reported = () =>
  Array.from({ length: watch.length }, (_, seq) => JSON.parse(watch.line(seq)) as LoggedEvent)
    .filter(({ type }) => type === 'iteration-finished' || type === 'run-finished')
    .map(({ type, iteration }) => `${type} ${iteration}`)

it('reports every step and the whole log at the end, although no dump is complete', async () => {
  // Step 1 left no line of results.
  writeSteps([2, 3, 4])
  writeFileSync(join(checkout, PROJECT, 'temp_data', DUMP), '[{"a": 1}, {"b"')
  appendFileSync(join(checkout, PROJECT, 'run', 'job.log'), `${LOG_LINE}\n`)
  await watch.look(() => [])
  expect(reported()).toEqual([])
  expect(logLines).toEqual([])
  await watch.end('stopped', () => [])
  const finished = [1, 2, 3, 4].map((step) => `iteration-finished ${step}`)
  expect(reported()).toEqual([...finished, 'run-finished 4'])
  expect(logLines).toEqual([LOG_LINE])
  expect(notices).toHaveLength(3)
  for (const notice of notices) expect(notice).toMatch(/without its rollouts/)
})

it('loses and repeats nothing when the disk is full for some time, wherever the write fails', async () => {
  writeSteps([1])
  await watch.look(() => [])
  const journal = join(checkout, PROJECT, 'run', 'journal.jsonl')
  for (const [index, after] of [0, 1, 100, 300].entries()) {
    const before = watch.length
    writeSteps(Array.from({ length: index + 2 }, (_, step) => step + 1))
    appendFileSync(join(checkout, PROJECT, 'run', 'job.log'), `${LOG_LINE}\n`)
    const freeDisk = fillDisk(after)
    await expect(watch.look(() => [])).rejects.toThrow('ENOSPC')
    await expect(watch.look(() => [])).rejects.toThrow('ENOSPC')
    freeDisk()
    expect(watch.length).toBe(before)
    await watch.look(() => [])
  }
  const freeDisk = fillDisk(0)
  await expect(watch.end('completed', () => [])).rejects.toThrow('ENOSPC')
  expect(watch.isOver).toBe(false)
  freeDisk()
  await watch.end('completed', () => [])
  expect(watch.isOver).toBe(true)
  expect(reported()).toEqual([...[1, 2, 3, 4, 5].map((step) => `iteration-finished ${step}`), 'run-finished 5'])
  expect(logLines).toEqual(Array(4).fill(LOG_LINE))
  const numbers: number[] = []
  Journal.open(journal, ({ seq }) => numbers.push(seq)).close()
  expect(numbers).toEqual(Array.from({ length: watch.length }, (_, seq) => seq))
})
