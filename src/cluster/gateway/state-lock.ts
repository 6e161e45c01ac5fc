/**
 * Lets one gateway at a time use a state folder, because two would write into the same journals. `gateway.lock` names the host and the
 * process of that gateway. A process is identified by its id and its start time, because ids are reused.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { GatewayProblem } from './problem.ts'
import { processAt } from './subprocess-jobs.ts'

interface Holder {
  host: string
  pid: number
  /** '' without /proc. */
  begin: string
}

/** Takes the lock, also that of a gateway of this host that was killed. Returns a function that releases it. Throws GatewayProblem. */
export function lockState(state: string): () => void {
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const path = join(state, 'gateway.lock')
  const own: Holder = { host: hostname(), pid: process.pid, begin: processAt(process.pid)?.begin ?? '' }
  for (;;) {
    try {
      writeFileSync(path, `${JSON.stringify(own)}\n`, { flag: 'wx', mode: 0o600 })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = holderIn(path)
    if (holder?.host !== own.host || isRunning(holder)) throw inUse(state, path, holder)
    rmSync(path, { force: true })
  }
}

/** Null if the file does not say. */
function holderIn(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder
  } catch {
    return null
  }
}

function isRunning({ pid, begin }: Holder): boolean {
  if (begin !== '') return processAt(pid)?.begin === begin
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function inUse(state: string, path: string, holder: Holder | null): GatewayProblem {
  return new GatewayProblem(500, {
    what: `Another gateway uses the state folder ${state}.`,
    why: holder ? `It is process ${holder.pid} on ${holder.host}.` : `${path} does not say which one.`,
    remedy: `Stop it, or set another "state" in the cluster file. If it no longer runs, delete ${path}.`,
  })
}
