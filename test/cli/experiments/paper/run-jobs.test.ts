import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { QUICK } from '../../../../src/cli/experiments/paper/budget.ts'
import { jobsOf, type Job } from '../../../../src/cli/experiments/paper/jobs.ts'
import { FolderInUseError, RunFolder } from '../../../../src/cli/experiments/paper/run-folder.ts'
import { runJobs, type StartJob } from '../../../../src/cli/experiments/paper/run-jobs.ts'
import { planTable } from '../../../../src/cli/experiments/paper/tables.ts'
import { madeUpRecord } from './made-up-records.ts'

const OPTIONS = { starts: {}, backend: 'cpu', models: {} }
const JOBS = jobsOf([planTable('household', { ...QUICK, seeds: [0] }, [])], OPTIONS)

let folder: RunFolder
beforeEach(async () => {
  folder = new RunFolder(await mkdtemp(join(tmpdir(), 'paper-')))
})
afterEach(() => rm(folder.path, { recursive: true }))

const finish = ({ key, preset }: Job) => folder.finish(madeUpRecord({ key, preset }))

function run(
  start: StartJob,
  signal = new AbortController().signal,
  onProgress: (line: string) => void = () => {},
  onFailure: (error: unknown) => void = () => {},
) {
  return runJobs({ folder, jobs: JOBS, atOnce: 2, start, signal, now: () => 0, onProgress, onFailure })
}

describe('the runs of the paper', () => {
  it('go on after a kill: finished runs are kept, and the others start', async () => {
    const kill = new AbortController()
    let count = 0
    await run(async (job, _, signal) => {
      if (++count <= 2) await finish(job)
      else {
        kill.abort()
        signal.throwIfAborted()
      }
    }, kill.signal)
    const started: string[] = []
    const lines: string[] = []
    const { records, failures } = await run(
      async (job) => {
        started.push(job.key)
        await finish(job)
      },
      undefined,
      (line) => lines.push(line),
    )
    expect(started).toEqual(JOBS.slice(2).map(({ key }) => key))
    expect(failures).toEqual([])
    expect([...records.keys()].sort()).toEqual(JOBS.map(({ key }) => key).sort())
    expect(lines[0]).toBe('2 of 4 runs, 0 running')
    expect(lines.at(-1)).toMatch(/^4 of 4 runs, 0 running/)
    // Nothing is left to do.
    await run(() => Promise.reject(new Error('No run should start.')))
  })

  it('go on after a failure, which is reported at once', async () => {
    const reported: unknown[] = []
    const { records, failures } = await run(
      async (job) => {
        if (job === JOBS[1]) throw new Error('The model broke.')
        if (job === JOBS.at(-1)) expect(String(reported)).toBe('Error: The model broke.')
        await finish(job)
      },
      undefined,
      undefined,
      (error) => reported.push(error),
    )
    expect(reported).toHaveLength(1)
    expect(failures.map(({ job, error }) => [job.key, (error as Error).message])).toEqual([
      [JOBS[1]!.key, 'The model broke.'],
    ])
    expect(records.size).toBe(3)
  })

  it('fail if they end without a record, and refuse a record that is damaged', async () => {
    const { failures } = await run(async () => {})
    expect(String(failures[0]!.error)).toContain('without a record')
    await writeFile(folder.recordPath(JOBS[0]!.key), '{"version":1,')
    await expect(run(finish)).rejects.toThrow(/is not a record of a run\. Remove it/)
  })

  it('run as many at once as asked', async () => {
    let running = 0
    let most = 0
    await run(async (job) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 5))
      await finish(job)
      running--
    })
    expect(most).toBe(2)
  })
})

describe('the folder of runs', () => {
  it('lets one command in at a time', async () => {
    const unlock = await folder.lock()
    await expect(folder.lock()).rejects.toThrow(FolderInUseError)
    await unlock()
    await (
      await folder.lock()
    )()
  })

  it('opens again after its process was killed', async () => {
    // Above the largest process id of Linux.
    await writeFile(join(folder.path, 'lock'), '4194305')
    await (
      await folder.lock()
    )()
  })
})
