/** Runs jobs side by side; a job that fails does not end the others. */

export interface PoolFailure<Job> {
  job: Job
  error: unknown
}

/** Starts `atOnce` jobs at a time, in order. After an abort it starts no more, and waits for those under way. */
export async function runPool<Job>(
  jobs: readonly Job[],
  atOnce: number,
  start: (job: Job, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<PoolFailure<Job>[]> {
  const waiting = [...jobs]
  const failures: PoolFailure<Job>[] = []
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined && !signal.aborted; job = waiting.shift()) {
      try {
        await start(job, signal)
      } catch (error) {
        if (!signal.aborted) failures.push({ job, error })
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, work))
  return failures
}
