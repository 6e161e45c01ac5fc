import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OwnWorlds } from '../../../../src/playground/worlds/own/own-worlds.svelte.ts'
import type { Bridge, Remoted } from '../../../../src/threads/worker-bridge.ts'
import { OwnCheckService } from '../../../../src/worlds/own/check-service.ts'
import { worldOf } from '../../../worlds/own/worlds.ts'

/** Where nothing can be kept, as in Node. */
beforeEach(() => void vi.stubGlobal('navigator', {}))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The service in this thread. `check` takes the place of its checks. */
function shelfWith(check?: OwnCheckService['check']) {
  const terminated: string[] = []
  const open = (): Bridge<OwnCheckService> => {
    const service = new OwnCheckService()
    if (check) service.check = check
    const remote = service as Remoted<OwnCheckService>
    return { remote, lost: new Promise(() => {}), terminate: () => terminated.push('check') }
  }
  return { shelf: new OwnWorlds(open), terminated }
}
const file = (name: string, text: string) => new File([text], name)

describe('the worlds on the page', () => {
  it('last without storage, with the reason, and are what the next run takes', async () => {
    const { shelf, terminated } = shelfWith()
    expect(shelf.supplies).toBeUndefined()
    await shelf.takeChosen([file('mine.ts', worldOf())])
    expect(shelf.obstacle).toContain('stays until you close or reload the page')
    expect(shelf.chosen!.lines.filter(({ passed }) => !passed)).toEqual([])
    expect(shelf.supplies).toMatchObject({ worldFile: { name: 'Numbers', file: 'mine.ts' }, models: {} })
    expect(terminated).toEqual(['check'])
    await shelf.look()
    expect(shelf.chosen?.file).toBe('mine.ts')
  })

  it('are replaced by a file with the same name, chosen when they are dropped, and removed', async () => {
    const { shelf } = shelfWith()
    await shelf.takeChosen([file('b.ts', worldOf({ name: `'B'` })), file('a.ts', worldOf({ name: `'A'` }))])
    expect(shelf.worlds.map(({ facts }) => facts.name)).toEqual(['A', 'B'])
    expect(shelf.chosen?.file).toBe('a.ts')
    shelf.choose('b.ts')
    await shelf.takeChosen([file('a.ts', worldOf({ name: `'Another'` }))])
    expect(shelf.worlds.map(({ facts }) => facts.name)).toEqual(['Another', 'B'])
    expect(shelf.supplies?.worldFile.name).toBe('Another')
    await shelf.remove('a.ts')
    expect(shelf.chosen?.file).toBe('b.ts')
  })

  it('stay as they were when a file is no world, or nothing of a drop belongs to one', async () => {
    const { shelf } = shelfWith()
    await shelf.takeChosen([file('mine.ts', worldOf())])
    const { chosen } = shelf
    await shelf.takeChosen([file('mine.ts', worldOf({ step: null }))])
    expect(shelf.failures).toEqual([
      { what: 'mine.ts cannot be played.', why: expect.stringContaining('`step` is missing in mine.ts') as string },
    ])
    await shelf.takeChosen([file('notes.txt', 'x')])
    expect(shelf.failures[0]!.why).toContain('ends in .ts or .js')
    expect(shelf.chosen).toBe(chosen)
  })

  it('are kept although their checks take too long, which one of the lines says', async () => {
    vi.useFakeTimers()
    let begin: () => void
    const begun = new Promise<void>((resolve) => (begin = resolve))
    const { shelf, terminated } = shelfWith(() => {
      begin()
      return new Promise(() => {})
    })
    const taken = shelf.takeChosen([file('slow.ts', worldOf())])
    await begun
    await vi.advanceTimersByTimeAsync(60_000)
    await taken
    expect(shelf.chosen!.lines).toEqual([
      { name: 'checks', passed: false, detail: expect.stringContaining('did not end within 60 seconds') as string },
    ])
    expect(terminated.length).toBeGreaterThan(0)
  })
})
