/** Who runs a job of the cluster: Ray, or this machine (ray-jobs.ts, subprocess-jobs.ts). */
import type { RunState } from '../protocol.ts'

export interface JobStatus {
  state: RunState
  /** What is said of it: why it failed, or ''. */
  message: string
  exitCode: number | null
}

export interface JobRequest {
  /** The run's name, which is also the job's: to start it twice starts it once. */
  id: string
  /** A bash script of ours. Nothing of a request stands in the command. */
  script: string
  /** The run's folder, in which the script leaves `exit-code`. */
  folder: string
}

export interface JobBackend {
  readonly kind: 'ray' | 'subprocess'
  /** Null where there is none. Rejects where nobody answers. */
  version(): Promise<string | null>
  /** What finds the job again after a restart. Rejects with a GatewayProblem. */
  start(request: JobRequest): Promise<string>
  /** Rejects where it cannot be known now. */
  status(handle: string, request: JobRequest): Promise<JobStatus>
  stop(handle: string): Promise<void>
}

/** 'text' for bash, which takes everything between single quotes as it is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
