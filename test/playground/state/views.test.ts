/** Which view an address names, and back. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { isLink, readLink, writeLink } from '../../../src/playground/state/link.ts'
import { addressOf, isPlace, placeOf, shownViews, VIEW_NAMES } from '../../../src/playground/state/views.ts'

describe('an address', () => {
  it('names its view next to any configuration, which stays readable', async () => {
    const content = { preset: 'household', settings: presetSettings(), backend: 'auto', iterations: 7 } as const
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...VIEW_NAMES),
        fc.integer({ min: 0, max: 1000 }),
        fc.subarray(['tasks', 'lambda', 'curves'] as const),
        fc.record(
          { lesson: fc.constant('lambda'), at: fc.constant('12/a/2/5'), run: fc.constant('r') },
          { requiredKeys: [] },
        ),
        async (view, seed, hidden, fields) => {
          const settings = { ...content.settings, seed }
          const address = addressOf(view, await writeLink({ ...content, settings }, hidden), fields)
          expect(placeOf(addressOf(view, '', fields))).toEqual({ view, part: null })
          expect(placeOf(address)).toEqual({ view, part: null })
          expect(isLink(address)).toBe(true)
          const read = await readLink(address)
          expect(read).toMatchObject({ hidden, unknown: [], lesson: fields.lesson ?? null, run: fields.run ?? null })
          expect(read.spot?.iteration).toBe(fields.at === undefined ? undefined : 12)
          expect(read.content?.settings.seed).toBe(seed)
        },
      ),
    )
  })

  it('without a configuration is only the view, and empty for the first view', () => {
    for (const view of VIEW_NAMES) expect(placeOf(addressOf(view, '')).view).toBe(view)
    expect(addressOf('loop', '')).toBe('')
    expect(placeOf('#hide=curves&view=tasks').view).toBe('tasks')
  })

  it('of a part opens the view that contains it', () => {
    expect(placeOf('#theatre')).toEqual({ view: 'episodes', part: 'theatre' })
    expect(placeOf('#v1.abc&view=games')).toEqual({ view: 'tasks', part: 'games' })
  })

  it('without a view opens the view of its lesson or step', () => {
    expect(placeOf('#at=12').view).toBe('episodes')
    expect(placeOf('#v1.abc&lesson=lambda').view).toBe('learn')
    expect(placeOf('#lesson=lambda&view=tasks').view).toBe('tasks')
    expect(placeOf('#loop&lesson=lambda').view).toBe('loop')
    expect(addressOf('loop', '', { lesson: 'lambda' })).toBe('#loop&lesson=lambda')
  })

  it('without any of these opens the first view, and is not a place', () => {
    for (const hash of ['#constructor', '#v1.abc&view=toString', '#nowhere', '#v1.abc']) {
      expect(placeOf(hash)).toEqual({ view: 'loop', part: null })
    }
    expect(isPlace('#nowhere')).toBe(false)
    expect(isPlace('#constructor')).toBe(false)
    expect(isPlace('')).toBe(true)
    expect(isPlace('#runs')).toBe(true)
  })
})

describe('a link that hides', () => {
  it('removes a view with nothing left in it, except the first', () => {
    expect(shownViews([])).toEqual(VIEW_NAMES)
    expect(shownViews(['tasks', 'lambda'])).toContain('tasks')
    expect(shownViews(['tasks', 'games'])).not.toContain('tasks')
    expect(shownViews(['loop', 'curves', 'trajectories', 'tasks', 'games', 'runs'])).toEqual(
      VIEW_NAMES.filter((view) => !['episodes', 'tasks', 'runs'].includes(view)),
    )
    expect(shownViews(['models', 'cluster', 'benchmark'])).toEqual([
      'loop',
      'episodes',
      'tasks',
      'learn',
      'runs',
      'results',
    ])
  })
})
