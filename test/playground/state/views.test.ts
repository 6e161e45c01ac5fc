/** Which view an address names, and back. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { isLink, readLink, writeLink } from '../../../src/playground/state/link.ts'
import {
  addressOf,
  GROUPS,
  isPlace,
  partOf,
  placeOf,
  shownGroups,
  shownViews,
  VIEW_NAMES,
} from '../../../src/playground/state/views.ts'

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
    expect(addressOf('start', '')).toBe('')
    expect(placeOf('')).toEqual({ view: 'start', part: null })
    expect(placeOf('#')).toEqual({ view: 'start', part: null })
    expect(addressOf('loop', '')).toBe('#loop')
    expect(addressOf('loop', '#v1.abc')).toBe('#v1.abc')
    expect(addressOf('start', '#v1.abc')).toBe('#v1.abc&view=start')
    expect(placeOf('#hide=curves&view=tasks').view).toBe('tasks')
  })

  it('of a part opens the view that contains it', () => {
    expect(placeOf('#theatre')).toEqual({ view: 'episodes', part: 'theatre' })
    expect(placeOf('#v1.abc&view=equation')).toEqual({ view: 'episodes', part: 'equation' })
    expect(partOf('#v1.abc&view=equation', 'episodes')).toBe('equation')
    expect(partOf('#theatre', 'loop')).toBeNull()
    expect(partOf('#episodes', 'episodes')).toBeNull()
  })

  it('without a view opens the view of its lesson or step', () => {
    expect(placeOf('#at=12').view).toBe('episodes')
    expect(placeOf('#v1.abc&lesson=lambda').view).toBe('learn')
    expect(placeOf('#lesson=lambda&view=tasks').view).toBe('tasks')
    expect(placeOf('#loop&lesson=lambda').view).toBe('loop')
    expect(addressOf('loop', '', { lesson: 'lambda' })).toBe('#loop&lesson=lambda')
  })

  it('without any of these opens the loop, and is not a place', () => {
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
  it('removes a view with nothing left in it, except the first and the loop', () => {
    expect(shownViews([])).toEqual(VIEW_NAMES)
    expect(shownViews(['games', 'lambda'])).toContain('tasks')
    expect(shownViews(['tasks'])).not.toContain('tasks')
    expect(shownViews(['games'])).not.toContain('games')
    expect(shownViews(['loop', 'curves', 'trajectories', 'tasks', 'games', 'runs'])).toEqual(
      VIEW_NAMES.filter((view) => !['episodes', 'tasks', 'games', 'runs'].includes(view)),
    )
    expect(shownViews(['models', 'games', 'cluster', 'benchmark'])).toEqual([
      'start',
      'loop',
      'episodes',
      'tasks',
      'runs',
      'results',
      'story',
      'judge',
      'learn',
      'theory',
    ])
  })

  it('removes a group with no view left in it', () => {
    const titles = (hidden: Parameters<typeof shownGroups>[0]) => shownGroups(hidden).map(({ title }) => title)
    expect(titles(['runs', 'results', 'trajectories'])).toEqual(['Start', 'Watch', 'Tasks', 'Set up', 'Learn'])
    expect(shownGroups(['trajectories'])[1]).toEqual({ title: 'Watch', views: ['loop'] })
  })

  it('names a group without its first view after the next', () => {
    expect(shownGroups(['tasks'])[2]).toEqual({ title: 'Theory', views: ['theory'] })
  })
})

describe('the groups', () => {
  it('contain every view once', () => {
    expect(GROUPS.flatMap(({ views }) => views).toSorted()).toEqual(VIEW_NAMES.toSorted())
  })
})
