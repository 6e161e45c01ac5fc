import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
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
})
