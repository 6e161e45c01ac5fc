import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Gateway } from '../../../src/cluster/gateway/gateway.ts'
import { lockState } from '../../../src/cluster/gateway/state-lock.ts'
import { SubprocessJobs } from '../../../src/cluster/gateway/subprocess-jobs.ts'
import { startFixture } from '../gateway-fixture.ts'

let state: string
let lock: string
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'lock-'))
  lock = join(state, 'gateway.lock')
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

/** Changes what the lock says of its holder. */
const rewrite = (more: object) =>
  writeFileSync(lock, JSON.stringify({ ...(JSON.parse(readFileSync(lock, 'utf8')) as object), ...more }))

describe('the lock of a state folder', () => {
  it('is refused while its holder runs, and free once released', () => {
    const release = lockState(state)
    expect(() => lockState(state)).toThrow(new RegExp(`process ${process.pid} on .*delete ${lock}`))
    release()
    expect(existsSync(lock)).toBe(false)
    lockState(state)()
  })

  it.each([
    ['a process that has ended', () => ({ pid: spawnSync('true').pid })],
    ['an earlier process with the same id', () => ({ begin: '1' })],
    ['a process that has ended, where start times are unknown', () => ({ pid: spawnSync('true').pid, begin: '' })],
  ])('is taken over from %s', (_, holder) => {
    lockState(state)
    const mine = readFileSync(lock, 'utf8')
    rewrite(holder())
    lockState(state)
    expect(readFileSync(lock, 'utf8')).toBe(mine)
  })

  it('is not taken over from another host, or if it names nobody', () => {
    lockState(state)
    rewrite({ host: 'another-host', pid: spawnSync('true').pid })
    expect(() => lockState(state)).toThrow(/on another-host/)
    writeFileSync(lock, '')
    expect(() => lockState(state)).toThrow(/does not say/)
  })

  it('keeps a second gateway away, until the first one is closed', async () => {
    const fixture = await startFixture({ isBare: true })
    const second = new Gateway({ cluster: fixture.cluster, backend: new SubprocessJobs(), version: 'test' })
    try {
      expect(() => second.open()).toThrow(/Another gateway uses/)
      await second.close()
      expect(() => second.open()).toThrow(/Another gateway uses/)
      await fixture.stop()
      second.open()
      await second.close()
      await fixture.restart()
    } finally {
      await fixture.remove()
    }
  })
})
