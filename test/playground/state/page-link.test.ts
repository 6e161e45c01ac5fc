import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addressOfMoment } from '../../../src/playground/state/addresses.ts'
import { PageLink, type Shown, type Targets } from '../../../src/playground/state/page-link.svelte.ts'
import { DEFAULT_PRESET, presetSettings } from '../../../src/method/presets.ts'
import { DEFAULT_ITERATIONS } from '../../../src/playground/run/configuration.ts'

const TASKS: Shown = {
  content: {
    preset: DEFAULT_PRESET,
    settings: { ...presetSettings(DEFAULT_PRESET), lambda: 3 },
    backend: 'auto',
    iterations: DEFAULT_ITERATIONS,
  },
  view: 'tasks',
  lesson: null,
  citation: null,
  run: null,
}
/** Not asked by an address that only names a view. */
const NOBODY = {} as Targets

let address: URL
const written = vi.fn((_entry: unknown, _title: string, to: string) => (address = new URL(to, address)))

beforeEach(() => {
  address = new URL('http://page.example/')
  written.mockClear()
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('history', { state: null, replaceState: written })
  vi.stubGlobal('location', {
    get hash() {
      return address.hash
    },
    get pathname() {
      return address.pathname
    },
    search: '',
  })
})
afterEach(() => vi.unstubAllGlobals())

function goTo(hash: string): void {
  address = new URL(hash, address)
}

describe('a link to a moment of the first screen', () => {
  it('says which step, and under which λ', async () => {
    const link = new PageLink()
    goTo('#start')
    vi.stubGlobal('location', { href: address.href, hash: address.hash })
    const spot = { iteration: 7, taskId: 'a/b', rollout: 0, step: 3, test: null, isOnHeads: false }
    const made = await addressOfMoment({ spot, lambda: 2 }, 'coding')
    expect(made).toMatch(/#v1\.[^&]+&view=start&at=7\/a\/b\/1\/4&lambda=2$/)
    const follow = vi.fn(async () => undefined)
    const playground = { follow } as unknown as Targets['playground']
    await link.follow(new URL(made).hash, { playground } as Targets, null)
    expect(link.moment).toEqual({ spot, lambda: 2 })
    expect(follow).toHaveBeenCalledWith(expect.objectContaining({ preset: 'coding' }))
    // The run of the other views stays on show.
    await link.arrive({ playground } as Targets)
    expect(link.problem).toBeNull()
  })

  it('is short in the world that the page opens with, and also read with the λ of its settings', async () => {
    vi.stubGlobal('location', { href: address.href, hash: '' })
    const spot = { iteration: 7, taskId: 'a/b', rollout: 0, step: 3, test: null, isOnHeads: false }
    const { hash } = new URL(await addressOfMoment({ spot, lambda: 0.5 }, 'household'))
    expect(hash).toBe('#start&at=7/a/b/1/4&lambda=0.5')
    const chooseWorld = vi.fn(async () => undefined)
    const playground = { chooseWorld } as unknown as Targets['playground']
    const link = new PageLink()
    await link.follow(hash, { playground } as Targets, null)
    expect(link.moment).toEqual({ spot, lambda: 0.5 })
    expect(chooseWorld).toHaveBeenCalledWith('household')
    await link.follow('#start&at=7/a/b/1/4&lambda=many', { playground } as Targets, null)
    expect(link.moment).toEqual({ spot, lambda: presetSettings(DEFAULT_PRESET).lambda })
  })
})

describe('a link to a recorded run', () => {
  /** A page whose recordings load once the test lets them. */
  function loadingPage(isThere: (name: string) => boolean) {
    let load = () => {}
    const loaded = new Promise<void>((resolve) => (load = resolve))
    const showRecording = vi.fn(async (name: string) => {
      await loaded
      return isThere(name) ? null : 'It is missing.'
    })
    const playground = { showRecording, live: { runId: '' } }
    return { load, showRecording, targets: { playground } as unknown as Targets }
  }

  it('opens it once if it was followed before the page had its runs, which is waited for twice', async () => {
    const { load, showRecording, targets } = loadingPage(() => true)
    const link = new PageLink()
    await link.follow('#loop&run=coding-grpo', targets, null)
    const arrivals = [link.arrive(targets), link.arrive(targets)]
    await expect.poll(() => showRecording.mock.calls.length).toBeGreaterThan(0)
    load()
    await Promise.all(arrivals)
    expect(showRecording.mock.calls).toEqual([['coding-grpo']])
    // Once it is open, the same link can be followed again.
    await link.follow('#loop&run=coding-grpo', targets, null)
    await link.arrive(targets)
    expect(showRecording).toHaveBeenCalledTimes(2)
  })

  it('reports and shows nothing more once another is followed', async () => {
    const { load, showRecording, targets } = loadingPage((name) => name === 'coding-full')
    const link = new PageLink()
    await link.follow('#episodes&at=7/a/1/4&run=coding-grpo', targets, null)
    const first = link.arrive(targets)
    await link.follow('#loop&run=coding-full', targets, null)
    const second = link.arrive(targets)
    await expect.poll(() => showRecording.mock.calls.length).toBe(2)
    load()
    await Promise.all([first, second])
    expect(link.problem).toBeNull()
    await link.follow('#loop&run=coding-grpo', targets, null)
    await link.arrive(targets)
    expect(link.problem).toMatch(/coding-grpo, which could not be loaded/)
  })
})

describe('a link to a lesson', () => {
  it('opens it before anything loads, and says if there is none of that name', async () => {
    const opened: string[] = []
    const openNamed = async (id: string) => {
      opened.push(id)
      return id === 'lambda' ? null : 'There is no such lesson.'
    }
    const link = new PageLink()
    await link.follow('#learn&lesson=lambda', { lessons: { openNamed } } as unknown as Targets, null)
    expect(opened).toEqual(['lambda'])
    expect(link.problem).toBeNull()
    await link.follow('#learn&lesson=other', { lessons: { openNamed } } as unknown as Targets, null)
    expect(link.problem).toBe('There is no such lesson.')
    // Once it has arrived, no other one is opened.
    await link.arrive({} as Targets)
    expect(opened).toEqual(['lambda', 'other'])
  })
})

describe('the address of the page', () => {
  it('gets the settings on the controls', async () => {
    const link = new PageLink()
    goTo('#tasks')
    await link.follow('#tasks', NOBODY, null)
    link.keep(TASKS)
    await expect.poll(() => address.hash).toMatch(/^#v1\..*&view=tasks$/)
    // And again, after what the page itself has written.
    link.keep({ ...TASKS, view: 'loop' })
    await expect.poll(() => written.mock.calls.length).toBe(2)
  })

  it('keeps the moment of the first screen, from the link until the screen reports another', async () => {
    const link = new PageLink()
    goTo('#start&at=7/a/b/1/4&lambda=2')
    await link.follow(address.hash, { playground: { chooseWorld: async () => undefined } } as unknown as Targets, null)
    await link.arrive({} as Targets)
    const start: Shown = { ...TASKS, view: 'start' }
    link.keep(start)
    await expect.poll(() => address.hash).toMatch(/^#v1\..*&view=start&at=7\/a\/b\/1\/4&lambda=2$/)
    link.note({ ...link.moment!, lambda: 5 })
    link.keep(start)
    await expect.poll(() => address.hash).toMatch(/&lambda=5$/)
    // Other views are not about it.
    link.keep(TASKS)
    await expect.poll(() => address.hash).toMatch(/&view=tasks$/)
  })

  it('keeps the run on show', async () => {
    const link = new PageLink()
    goTo('#loop&run=one')
    await link.follow('#tasks', NOBODY, null)
    goTo('#tasks')
    link.keep({ ...TASKS, run: 'one' })
    await expect.poll(() => address.hash).toMatch(/&view=tasks&run=one$/)
  })

  it('keeps a link that was pasted and not followed yet', async () => {
    const link = new PageLink()
    goTo('#tasks')
    await link.follow('#tasks', NOBODY, null)
    link.keep(TASKS)
    goTo('#episodes')
    // Written later, so the first writing would be over by then.
    const other = new PageLink()
    await other.follow('#episodes', NOBODY, null)
    other.keep({ ...TASKS, view: 'episodes', lesson: 'lambda' })
    await expect.poll(() => address.hash).toContain('lesson=lambda')
    expect(written).toHaveBeenCalledTimes(1)
  })

  it('restores no settings when you go back past a reload, but those before a link that was pasted', async () => {
    const linked = vi.fn(async () => undefined)
    const targets = { playground: { follow: linked } } as unknown as Targets
    const entries: unknown[] = []
    /** Follows an address, and writes it with these settings. */
    const write = async (link: PageLink, hash: string, state: unknown, shown: Shown) => {
      goTo(hash)
      vi.stubGlobal('history', { state, replaceState: written })
      await link.follow(hash, targets, null)
      await link.arrive(targets)
      link.keep(shown)
      const { length } = written.mock.calls
      await expect.poll(() => written.mock.calls.length).toBe(length + 1)
      entries.push(written.mock.lastCall![0])
      return address.hash
    }
    const link = new PageLink()
    const first = await write(link, '#tasks', null, TASKS)
    const pasted = await write(link, first.replace('tasks', 'loop'), null, { ...TASKS, view: 'loop' })
    const second = await write(link, '#episodes', null, { ...TASKS, view: 'episodes' })
    expect(linked).toHaveBeenCalledTimes(1)

    const reloaded = new PageLink()
    await write(reloaded, second, entries[2], { ...TASKS, view: 'episodes' })
    expect(linked, 'of the address that was reloaded').toHaveBeenCalledTimes(2)
    await write(reloaded, pasted, entries[1], { ...TASKS, view: 'loop' })
    expect(linked, 'back to another view').toHaveBeenCalledTimes(2)
    await write(reloaded, first, entries[0], TASKS)
    expect(linked, 'back past the link').toHaveBeenCalledTimes(3)
  })

  it('is not that of the view before, which was being packed while another was opened', async () => {
    const link = new PageLink()
    goTo('#tasks')
    await link.follow('#tasks', NOBODY, null)
    vi.useFakeTimers()
    link.keep(TASKS)
    vi.runAllTimers()
    vi.useRealTimers()
    goTo('#games')
    void link.follow('#games', NOBODY, null)
    link.keep({ ...TASKS, view: 'games' })
    await expect.poll(() => written.mock.calls.length).toBeGreaterThan(0)
    expect(written.mock.calls.map(([, , to]) => to)).toEqual([expect.stringMatching(/&view=games$/)])
  })
})
