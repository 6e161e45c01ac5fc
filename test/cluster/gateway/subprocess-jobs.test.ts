import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SubprocessJobs } from '../../../src/cluster/gateway/subprocess-jobs.ts'

let folder: string
const started: number[] = []
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'jobs-'))))
afterEach(() => {
  for (const pid of started.splice(0)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a program piped into tee, like launchScript. It writes its process id to `pid` once it handles signals. */
async function start(jobs: SubprocessJobs, program: string) {
  const script = join(folder, 'launch.sh')
  writeFileSync(join(folder, 'program.sh'), program)
  writeFileSync(script, `cd '${folder}'\nbash program.sh 2>&1 | tee -a job.log\necho 0 > exit-code\n`)
  const request = { id: 'job', script, folder }
  const handle = await jobs.start(request)
  const leader = Number(handle.split(':')[0])
  started.push(leader)
  await expect.poll(() => textIn('pid')).toMatch(/^\d+\n$/)
  const pid = Number(textIn('pid'))
  started.push(pid)
  const state = async () => (await jobs.status(handle, request)).state
  return { handle, leader, pid, state }
}

function textIn(name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return ''
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/^.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const IGNORES = "trap '' TERM\necho $$ > pid\nexec sleep 600\n"
/** Waits for the file `go` after SIGTERM. Prints nothing, because tee has ended by then. */
const SAVES = [
  'exec > /dev/null 2>&1',
  'trap "while [ ! -e go ]; do sleep 0.02; done; echo yes > saved; exit" TERM',
  'echo $$ > pid',
  'while :; do sleep 0.02; done',
  '',
].join('\n')

describe.skipIf(process.platform !== 'linux')('stopping a job', () => {
  it('kills a program that ignores SIGTERM, after the grace', async () => {
    const jobs = new SubprocessJobs(200)
    const { handle, leader, pid, state } = await start(jobs, IGNORES)
    expect(await state()).toBe('RUNNING')
    await jobs.stop(handle)
    await expect.poll(() => [leader, pid].filter(isAlive)).toEqual([])
    expect(await state()).toBe('FAILED')
  })

  it('waits for a program that saves its work first, although its leader ends at once', async () => {
    const jobs = new SubprocessJobs(600_000)
    const { handle, leader, pid, state } = await start(jobs, SAVES)
    const stopped = jobs.stop(handle)
    await expect.poll(() => isAlive(leader)).toBe(false)
    expect(await state()).toBe('RUNNING')
    writeFileSync(join(folder, 'go'), '')
    await stopped
    expect(isAlive(pid)).toBe(false)
    expect(textIn('saved')).toBe('yes\n')
    expect(await state()).toBe('FAILED')
  })

  it('ends a program whose leader was killed before', async () => {
    const jobs = new SubprocessJobs(200)
    const { handle, leader, pid, state } = await start(jobs, IGNORES)
    process.kill(leader, 'SIGKILL')
    await expect.poll(() => isAlive(leader)).toBe(false)
    expect(await state()).toBe('RUNNING')
    await jobs.stop(handle)
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it('does not count zombies, which some containers never reap', async () => {
    const jobs = new SubprocessJobs(600_000)
    // Moves to another group and leaves a child in this one that it never reaps.
    const { handle, leader, pid, state } = await start(jobs, 'sleep 0 &\necho $$ > pid\nexec setsid sleep 600\n')
    await expect.poll(() => groupOf(pid)).toBe(pid)
    process.kill(-leader, 'SIGKILL')
    await expect.poll(state).toBe('FAILED')
    expect(() => process.kill(-leader, 0)).not.toThrow()
    await jobs.stop(handle)
  })
})

/** Process group, field 5 of proc(5). */
function groupOf(pid: number): number {
  return Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[2],
  )
}
