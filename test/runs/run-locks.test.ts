import { describe, expect, it } from 'vitest'
import { RunInUseError, runLocks, whileFree } from '../../src/runs/run-locks.ts'
import { OriginLocks } from '../sessions/tabs.ts'

describe('the lock of a run', () => {
  const origin = new OriginLocks()
  const [here, there] = [{}, {}]
  const mine = runLocks(origin.of(here), 1)
  const theirs = runLocks(origin.of(there), 1)

  it('is refused while another tab holds it, and free again when that tab ends the run or closes', async () => {
    const release = await theirs.take('a')
    expect([...(await mine.inUse())]).toEqual(['a'])
    await expect(mine.take('a')).rejects.toThrow(RunInUseError)
    await expect(whileFree(mine, 'a', async () => 'deleted')).rejects.toThrow('Run "a" is running in another tab')
    expect(await whileFree(mine, 'b', async () => 'deleted')).toBe('deleted')
    release()
    await mine.whenFree('a')
    await mine.take('a')
    origin.drop(here)
    await theirs.take('a')
  })

  it('is taken without asking where the browser has no locks, or refuses them to a frame', async () => {
    const refusing = { request: () => Promise.reject(new DOMException('No origin.', 'SecurityError')) }
    for (const locks of [null, { ...refusing, query: () => refusing.request() } as never]) {
      const free = runLocks(locks, 1)
      expect(await whileFree(free, 'a', async () => 'deleted')).toBe('deleted')
      expect((await free.inUse()).size).toBe(0)
      await free.whenFree('a')
    }
  })
})
