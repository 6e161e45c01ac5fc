import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OwnWorlds, type LoadImport } from '../../../../src/playground/worlds/own/own-worlds.svelte.ts'
import { tellOfFolders } from '../../../../src/storage/folder-news.ts'
import type { Bridge, Remoted } from '../../../../src/threads/worker-bridge.ts'
import { OwnCheckService } from '../../../../src/worlds/own/check-service.ts'
import type { KeptWorld } from '../../../../src/worlds/own/library/indexeddb-library.ts'
import { worldOf } from '../../../worlds/own/worlds.ts'

/** Where nothing can be kept, as in Node. */
beforeEach(() => void vi.stubGlobal('navigator', {}))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Checks that find nothing. The real ones play for half a second. */
const unchecked: OwnCheckService['check'] = () => Promise.resolve()

/** The service in this thread. `check` takes the place of its checks, and `load` of what reads and keeps worlds. */
function shelfWith(check: OwnCheckService['check'] | null = unchecked, load?: LoadImport) {
  const terminated: string[] = []
  const open = (): Bridge<OwnCheckService> => {
    const service = new OwnCheckService()
    if (check) service.check = check
    const remote = service as Remoted<OwnCheckService>
    return { remote, lost: new Promise(() => {}), terminate: () => terminated.push('check') }
  }
  return { shelf: new OwnWorlds(open, load), terminated }
}
/** Storage that keeps worlds in memory, as tabs share it. `isFull` refuses more of them. */
function storage() {
  const kept = new Map<string, KeptWorld>()
  const state = { isFull: false, kept, putting: Promise.resolve() }
  const folders: string[] = []
  const library = {
    list: () => Promise.resolve([...kept.values()]),
    delete: (name: string) => Promise.resolve(void kept.delete(name)),
    async put(world: KeptWorld) {
      await state.putting
      if (state.isFull) throw new Error('The storage is full.')
      kept.set(world.file, world)
    },
  }
  const load: LoadImport = async () => ({
    ...(await import('../../../../src/playground/worlds/own/world-import.ts')),
    library,
    keepLocalFolder: (name) => Promise.resolve({ name: (folders.push(name), name), bytes: 1 }),
    keptFolders: () => Promise.resolve([...folders]),
  })
  return { state, load, folders }
}
/** Texts that tabs share. */
function localTexts() {
  const texts = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
  })
}
const file = (name: string, text: string) => new File([text], name)

describe('the worlds on the page', () => {
  it('last without storage, with the reason, and are what the next run takes', async () => {
    const { shelf, terminated } = shelfWith(null)
    expect(shelf.supplies).toBeUndefined()
    await shelf.takeChosen([file('mine.ts', worldOf())])
    expect(shelf.obstacle).toContain('stays until you close or reload the page')
    expect(shelf.chosen!.lines.length).toBeGreaterThan(0)
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
    expect(shelf.failures).toEqual([
      { what: 'notes.txt cannot be used here.', why: expect.stringContaining('ends in .ts or .js') as string },
    ])
    await shelf.takeChosen([file('notes.txt', 'x'), file('photo.png', ''), file('song.mp3', '')])
    expect(shelf.failures[0]!.what).toBe('notes.txt and 2 other files cannot be used here.')
    expect(shelf.chosen).toBe(chosen)
  })

  it('that wait for one another leave what the earlier ones reported, which the next drop clears', async () => {
    const { shelf } = shelfWith()
    const bad = shelf.takeChosen([file('bad.ts', worldOf({ step: null }))])
    const good = shelf.takeChosen([file('good.ts', worldOf())])
    await Promise.all([bad, good])
    expect(shelf.failures.map(({ what }) => what)).toEqual(['bad.ts cannot be played.'])
    await shelf.takeChosen([file('good.ts', worldOf())])
    expect(shelf.failures).toEqual([])
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

describe('worlds that the browser does not keep', () => {
  it('stay, with the reason, however often other tabs report a change', async () => {
    const { state, load } = storage()
    const { shelf } = shelfWith(undefined, load)
    await shelf.takeChosen([file('kept.ts', worldOf())])
    state.isFull = true
    await shelf.takeChosen([file('mine.ts', worldOf())])
    for (const _ of ['first notice', 'second notice']) {
      await shelf.look()
      expect(shelf.worlds.map((world) => world.file)).toEqual(['kept.ts', 'mine.ts'])
      expect(shelf.obstacle).toBe('The storage is full.')
    }
    await shelf.remove('mine.ts')
    await shelf.look()
    expect(shelf.worlds.map((world) => world.file)).toEqual(['kept.ts'])
    expect(shelf.obstacle).toBeNull()
  })

  it('take other models in place of earlier ones, which stay for the runs that began with them', async () => {
    localTexts()
    const { load, folders } = storage()
    const { shelf } = shelfWith(undefined, load)
    const drop = (weights: string) => {
      const model = file('model.safetensors', weights)
      Object.defineProperty(model, 'webkitRelativePath', { value: 'mine.models/own-policy/model.safetensors' })
      return shelf.takeChosen([model])
    }
    const played = () => shelf.supplies!.models.policy
    await shelf.takeChosen([file('mine.ts', worldOf())])
    await drop('first')
    const first = played()
    await drop('second')
    expect(played()).not.toEqual(first)
    expect(folders).toHaveLength(2)
    const { shelf: reloaded } = shelfWith(undefined, load)
    await reloaded.look()
    expect(reloaded.supplies!.models.policy).toEqual(played())
    await drop('first')
    expect([played(), new Set(folders).size]).toEqual([first, 2])
  })

  it('have no models any more once another part of the page removed these', async () => {
    localTexts()
    const { load, folders } = storage()
    const { shelf } = shelfWith(undefined, load)
    const model = file('model.safetensors', 'weights')
    Object.defineProperty(model, 'webkitRelativePath', { value: 'mine.models/own-policy/model.safetensors' })
    await shelf.takeChosen([file('mine.ts', worldOf())])
    await shelf.takeChosen([model])
    expect(shelf.supplies!.models.policy).toBeDefined()
    folders.length = 0
    tellOfFolders()
    await expect.poll(() => shelf.supplies!.models).toEqual({})
  })

  it('stay while they are being kept, in place of the ones that they replace', async () => {
    const { state, load } = storage()
    const { shelf } = shelfWith(undefined, load)
    await shelf.takeChosen([file('mine.ts', worldOf({ name: `'First'` }))])
    let keep: () => void
    state.putting = new Promise((resolve) => (keep = resolve))
    const taken = shelf.takeChosen([file('mine.ts', worldOf({ name: `'Second'` }))])
    await vi.waitFor(() => expect(shelf.chosen!.facts.name).toBe('Second'), { timeout: 20_000 })
    await shelf.look()
    expect(shelf.worlds.map(({ facts }) => facts.name)).toEqual(['Second'])
    keep!()
    await taken
    state.kept.delete('mine.ts')
    await shelf.look()
    expect(shelf.worlds).toEqual([])
  })
})

describe('a tab that was open before the first world', () => {
  it('shows the world that another tab was given', async () => {
    localTexts()
    const { load } = storage()
    const { shelf: early } = shelfWith(undefined, load)
    const { shelf: other } = shelfWith(undefined, load)
    await other.takeChosen([file('mine.ts', worldOf())])
    await vi.waitFor(() => expect(early.chosen?.file).toBe('mine.ts'))
  })
})

describe('a page whose scripts are gone, as after a new version or without a network', () => {
  it('says so, lists what it can, and reads worlds once they can be loaded', async () => {
    const { load } = storage()
    let isGone = true
    const { shelf } = shelfWith(undefined, () => (isGone ? Promise.reject(new Error('Reload the page.')) : load()))
    await shelf.takeChosen([file('mine.ts', worldOf())])
    expect(shelf.failures).toEqual([{ what: 'mine.ts cannot be played.', why: 'Reload the page.' }])
    expect(shelf.reading).toBeNull()
    shelf.choose('mine.ts')
    await shelf.look()
    expect(shelf.obstacle).toBe('Reload the page.')
    isGone = false
    await shelf.takeChosen([file('mine.ts', worldOf())])
    expect(shelf.chosen?.file).toBe('mine.ts')
    expect(shelf.failures).toEqual([])
    await shelf.look()
    expect(shelf.obstacle).toBeNull()
  })
})
