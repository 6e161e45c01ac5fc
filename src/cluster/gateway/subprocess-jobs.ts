/**
 * Jobs as processes on this machine, for use without Ray. Each leads its own process group and outlives the gateway. A restarted
 * gateway identifies it by process id and start time, because ids are reused.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { JobBackend, JobRequest, JobStatus } from './jobs.ts'
import { GatewayProblem } from './problem.ts'

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 10_000
const POLL_MS = 50

export class SubprocessJobs implements JobBackend {
  readonly kind = 'subprocess'
  readonly #graceMs: number

  constructor(graceMs = GRACE_MS) {
    this.#graceMs = graceMs
  }

  async version(): Promise<null> {
    return null
  }

  async start({ script }: JobRequest): Promise<string> {
    const child = spawn('bash', [script], { detached: true, stdio: 'ignore' })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (cause) =>
        reject(
          new GatewayProblem(
            500,
            {
              what: 'The job could not be started.',
              why: cause.message,
              remedy: 'Install bash on this machine.',
            },
            { cause },
          ),
        ),
      )
    })
    child.unref()
    const pid = child.pid ?? 0
    return `${pid}:${beginOf(pid) ?? ''}`
  }

  async status(handle: string, { folder }: JobRequest): Promise<JobStatus> {
    const isAlive = aliveGroup(handle)
    const exitCode = exitCodeIn(folder)
    if (exitCode === null) {
      if (isAlive) return { state: 'RUNNING', message: '', exitCode: null }
      // It may have ended between the two checks.
      const late = exitCodeIn(folder)
      if (late === null)
        return { state: 'FAILED', message: 'The job was killed: it wrote no exit code.', exitCode: null }
      return ended(late)
    }
    return ended(exitCode)
  }

  async stop(handle: string): Promise<void> {
    if (!aliveGroup(handle)) return
    signal(handle, 'SIGTERM')
    for (let waited = 0; waited < this.#graceMs; waited += POLL_MS) {
      if (!aliveGroup(handle)) return
      await pause(POLL_MS)
    }
    signal(handle, 'SIGKILL')
  }
}

function ended(exitCode: number): JobStatus {
  if (exitCode === 0) return { state: 'SUCCEEDED', message: '', exitCode }
  return { state: 'FAILED', message: `The job ended with exit code ${exitCode}.`, exitCode }
}

function exitCodeIn(folder: string): number | null {
  try {
    const code = Number(readFileSync(join(folder, 'exit-code'), 'utf8').trim())
    return Number.isInteger(code) ? code : null
  } catch {
    return null
  }
}

function pidOf(handle: string): number {
  return Number(handle.split(':')[0])
}

/** Whether the leader is still running and is the process that was started. */
function aliveGroup(handle: string): boolean {
  const pid = pidOf(handle)
  if (!(pid > 1)) return false
  const [, begin = ''] = handle.split(':')
  const now = beginOf(pid)
  if (now !== null) return begin === '' || now === begin
  // Without /proc, only the id is known.
  if (begin !== '') return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Start time of a process in ticks after boot (proc(5), field 22); null if it has ended or is a zombie. */
function beginOf(pid: number): string | null {
  try {
    // The name, in parentheses, may contain spaces and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[0] === 'Z' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}

function signal(handle: string, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pidOf(handle), name)
  } catch {
    // It has already ended.
  }
}
