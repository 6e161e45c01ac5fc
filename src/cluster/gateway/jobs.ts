/** Interface of what runs a job: Ray, or this machine (ray-jobs.ts, subprocess-jobs.ts). */
import type { RunState } from '../protocol.ts'

export interface JobStatus {
  state: RunState
  /** Why it failed, or ''. */
  message: string
  exitCode: number | null
}

export interface JobRequest {
  /** Name of the run and the job; starting it twice starts one job. */
  id: string
  /** Path of our bash script. The command contains no text of a request. */
  script: string
  /** The run's folder, in which the script writes `exit-code`. */
  folder: string
}

export interface JobBackend {
  readonly kind: 'ray' | 'subprocess'
  /** Null if there is none. Rejects if there is no answer. */
  version(): Promise<string | null>
  /** Returns a handle that identifies the job after a restart. Rejects with a GatewayProblem. */
  start(request: JobRequest): Promise<string>
  /** Rejects if the status is unknown at the moment. */
  status(handle: string, request: JobRequest): Promise<JobStatus>
  stop(handle: string): Promise<void>
}

/** Quotes a text for bash, which takes everything between single quotes literally. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
