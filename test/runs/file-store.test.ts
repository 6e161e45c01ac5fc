import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { cutLog, FileRunStore, readRunLog, timingsPath } from '../../src/runs/file-store.ts'

describe('a run kept in files', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'runs-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const events: LoggedEvent[] = [
    { type: 'iteration-started', taskIds: ['a'], pendingTaskIds: [], seq: 0, iteration: 1 },
    { type: 'iteration-finished', metrics: { acc: 0.5 }, seq: 1, iteration: 1 },
  ]

  it('writes the log to one file and timings to another', async () => {
    const log = join(folder, 'deep', 'run.jsonl')
    const store = new FileRunStore({ log })
    await store.create()
    await store.append('r', events.slice(0, 1))
    await store.append('r', events.slice(1))
    await store.appendTimings(1, { type: 'timings', metrics: { 'timing_s/step': 1.25 } })
    expect(await readRunLog(log)).toEqual(events)
    expect(readFileSync(log, 'utf8')).not.toContain('timing')
    expect(readFileSync(join(folder, 'deep', 'run.timings.jsonl'), 'utf8')).toBe(
      '{"iteration":1,"timing_s/step":1.25}\n',
    )
  })

  it('is cut back to a checkpoint, even without its timings', async () => {
    const log = join(folder, 'run.jsonl')
    const store = new FileRunStore({ log })
    await store.create()
    await store.append('r', events)
    for (const iteration of [1, 2]) await store.appendTimings(iteration, { type: 'timings', metrics: {} })
    await cutLog(log, events.slice(0, 1), 1)
    expect(await readRunLog(log)).toEqual(events.slice(0, 1))
    expect(readFileSync(timingsPath(log), 'utf8')).toBe('{"iteration":1}\n')
    rmSync(timingsPath(log))
    await cutLog(log, events, 1)
    expect(await readRunLog(log)).toEqual(events)
    expect(readFileSync(timingsPath(log), 'utf8')).toBe('')
  })

  it('writes only the requested files', async () => {
    const store = new FileRunStore({})
    await store.create()
    await store.append('r', events)
    expect(existsSync(join(folder, 'run.jsonl'))).toBe(false)
  })

  it('names the timings after the log', () => {
    expect(timingsPath('a/run.jsonl')).toBe('a/run.timings.jsonl')
    expect(timingsPath('a/run')).toBe('a/run.timings.jsonl')
  })
})
