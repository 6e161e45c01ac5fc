/**
 * Jobs as processes on this machine, for use without Ray. Each leads its own process group and outlives the gateway. A restarted
 * gateway identifies it by process id and start time, because ids are reused.
 *
 * A job runs as long as any process of its group: SIGTERM ends the leader, bash, at once, but its program may save its work first or
 * ignore the signal.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { JobBackend, JobRequest, JobStatus } from './jobs.ts'
import { GatewayProblem } from './problem.ts'

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 10_000
const POLL_MS = 100

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
    return `${pid}:${processAt(pid)?.begin ?? ''}`
  }

  async status(handle: string, { folder }: JobRequest): Promise<JobStatus> {
    const isAlive = isRunning(handle)
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
    if (!isRunning(handle)) return
    signal(handle, 'SIGTERM')
    for (let waited = 0; waited < this.#graceMs; waited += POLL_MS) {
      if (!isRunning(handle)) return
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

/** Whether any process of the group is running, and the group is the one that was started. */
function isRunning(handle: string): boolean {
  const pid = pidOf(handle)
  if (!(pid > 1)) return false
  const [, begin = ''] = handle.split(':')
  const leader = processAt(pid)
  if (leader) return begin === '' || leader.begin === begin
  // The leader has ended. Its id is not reused while its group has members.
  try {
    process.kill(-pid, 0)
  } catch {
    return false
  }
  // Zombies answer as well, and remain if the first process of a container does not reap them. Without /proc, they are not told apart.
  const ids = processIds()
  return ids === null || ids.some((id) => processAt(id)?.group === pid)
}

/** Ids of all processes on this machine; null without /proc. */
function processIds(): number[] | null {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return null
  }
}

/** Group of a process, and its start time in ticks after boot (proc(5), fields 5 and 22); null if it has ended or is a zombie. */
export function processAt(pid: number): { group: number; begin: string } | null {
  try {
    // The name, in parentheses, may contain spaces and parentheses.
    const [state, , group, ...later] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return state === 'Z' ? null : { group: Number(group), begin: later[16] ?? '' }
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
