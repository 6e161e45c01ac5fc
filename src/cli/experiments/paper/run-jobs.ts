/** Brings the runs of a folder to their end: those that have a record are kept, the others start or continue. */
import { runPool, type PoolFailure } from './pool.ts'
import { costOf, type Job } from './jobs.ts'
import { keptRecord } from './kept-record.ts'
import { progressLine, type RunProgress } from './progress.ts'
import type { RunFolder } from './run-folder.ts'
import type { RunRecord } from './run-record.ts'

/** Runs one job to its record. Rejects if it fails or is aborted. */
export type StartJob = (job: Job, onIteration: (iteration: number) => void, signal: AbortSignal) => Promise<void>

export interface JobsOptions {
  folder: RunFolder
  jobs: readonly Job[]
  atOnce: number
  start: StartJob
  signal: AbortSignal
  now(): number
  onProgress(line: string): void
  /** Called at once, since the others may take hours. Not for what is aborted. */
  onFailure(error: unknown): void
}

export interface JobsResult {
  records: ReadonlyMap<string, RunRecord>
  failures: readonly PoolFailure<Job>[]
}

export async function runJobs({
  folder,
  jobs,
  atOnce,
  start,
  signal,
  now,
  onProgress,
  onFailure,
}: JobsOptions): Promise<JobsResult> {
  const records = new Map<string, RunRecord>()
  for (const { key } of jobs) {
    if (signal.aborted) break
    const record = await keptRecord(folder, key, onProgress)
    if (record !== null) records.set(key, record)
  }
  const progress = new Map<string, RunProgress>()
  for (const job of jobs) {
    const state = records.has(job.key) ? 'kept' : 'waiting'
    progress.set(job.key, { cost: costOf(job), share: state === 'kept' ? 1 : 0, seconds: 0, state })
  }
  const tell = () => onProgress(progressLine([...progress.values()], atOnce))
  tell()
  const run = async (job: Job): Promise<void> => {
    const began = now()
    let firstIteration: number | null = null
    const set = (state: RunProgress['state'], share: number) => {
      progress.set(job.key, { cost: costOf(job), share, seconds: (now() - began) / 1000, state })
      tell()
    }
    set('running', 0)
    try {
      const onIteration = (iteration: number) => {
        // A run that continues did not make its earlier iterations now.
        firstIteration ??= iteration - 1
        const { iterations } = job
        set('running', (iteration - firstIteration) / Math.max(1, iterations - firstIteration))
      }
      await start(job, onIteration, signal)
      const record = await folder.record(job.key)
      if (record === null) throw new Error(`The run ${job.key} ended without a record.`)
      records.set(job.key, record)
      set('finished', 1)
    } catch (error) {
      set('failed', 0)
      if (!signal.aborted) onFailure(error)
      throw error
    }
  }
  const missing = jobs.filter(({ key }) => !records.has(key))
  return { failures: await runPool(missing, atOnce, run, signal), records }
}
