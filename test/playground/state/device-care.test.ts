/** Runs that spare a phone: who is asked, what is remembered, when a run rests. */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { DeviceCare } from '../../../src/playground/state/device-care.svelte.ts'
import { Pace } from '../../../src/playground/state/pace.ts'
import { Playground } from '../../../src/playground/state/playground.svelte.ts'
import { REST_MS, Rests } from '../../../src/playground/state/rests.svelte.ts'
import { isSmallDevice } from '../../../src/playground/state/small-device.ts'
import { FakeLoop, keptRuns, settle, standInForBrowser } from './page-stand-ins.ts'

let kept: Map<string, string>
beforeEach(() => {
  standInForBrowser()
  kept = new Map()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  })
  vi.stubGlobal('fetch', async () => new Response(null, { status: 404 }))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a small device', () => {
  const withPointers = (...matching: string[]) => ({
    matchMedia: (query: string) => ({ matches: matching.includes(query) }),
  })

  it.each([
    ['a phone', { ...withPointers('(pointer: coarse)'), deviceMemory: 8 }, true],
    ['a phone whose browser does not say its memory', withPointers('(pointer: coarse)'), true],
    ['a computer', { ...withPointers('(any-pointer: fine)'), deviceMemory: 8 }, false],
    ['a computer whose browser does not say its memory', withPointers('(any-pointer: fine)'), false],
    ['a laptop with a touch screen', withPointers('(pointer: coarse)', '(any-pointer: fine)'), false],
    ['a computer with 4 GB', { ...withPointers('(any-pointer: fine)'), deviceMemory: 4 }, true],
  ])('is told from others: %s', (_, scope, isSmall) => {
    expect(isSmallDevice(scope)).toBe(isSmall)
  })

  it('is asked until it is answered, and nothing changes before', () => {
    expect(new DeviceCare(false).isOpen).toBe(false)
    const care = new DeviceCare(true)
    expect(care).toMatchObject({ isOpen: true, isSparing: false })
    care.choose(false)
    expect(new DeviceCare(true)).toMatchObject({ isOpen: false, isSparing: false })
    care.choose(true)
    expect(new DeviceCare(true)).toMatchObject({ isOpen: false, isSparing: true })
  })
})

describe('a run that spares its device', () => {
  const shelf = { look: async () => {}, areThere: false }
  const shelves = { household: shelf, coding: shelf, desktop: shelf, own: shelf }

  it('has the preset for phones in every world, on later visits too, and tells the loop', async () => {
    const loop = new FakeLoop()
    const playground = new Playground(loop.open, shelves, keptRuns(), new DeviceCare(true))
    expect(playground.draft.preset).toBe('household')
    await playground.launcher.runOrPause()
    expect(loop.isSparing).toBe(false)
    const { runId } = playground.live
    loop.say({ type: 'status', runId, status: { state: 'finished', reason: 'stopped' } })

    playground.spareDevice(true)
    expect(playground.draft.values).toEqual(presetSettings('household+phone'))
    await playground.chooseWorld('coding')
    expect(playground.draft.preset).toBe('coding+phone')
    await playground.launcher.step()
    await settle()
    expect(loop.isSparing).toBe(true)

    const later = new Playground(loop.open, shelves, keptRuns(), new DeviceCare(true))
    expect(later.draft.preset).toBe('household+phone')
    expect(later.draft.replaced).toBeNull()
  })

  it('has the preset for phones until another is chosen, on later visits too', async () => {
    const visit = () => new Playground(new FakeLoop().open, shelves, keptRuns(), new DeviceCare(false))
    const first = visit()
    first.spareDevice(true)
    first.choosePreset('household')
    const second = visit()
    expect(second.care.isSparing).toBe(true)
    expect(second.draft.preset).toBe('household')
    await second.chooseWorld('coding')
    expect(second.draft.preset).toBe('coding')
    second.choosePreset('coding+phone')
    const third = visit()
    expect(third.draft.preset).toBe('household+phone')
    third.spareDevice(false)
    expect(third.draft.preset).toBe('household')
    expect(visit().draft.preset).toBe('household')
  })

  it('keeps a preset of the reader when it is spared no longer', () => {
    const playground = new Playground(new FakeLoop().open, shelves, keptRuns(), new DeviceCare(false))
    playground.spareDevice(true)
    playground.choosePreset('household+policy-only')
    playground.spareDevice(false)
    expect(playground.draft.preset).toBe('household+policy-only')
  })

  it('trains with the preset for phones from the first screen', async () => {
    const loop = new FakeLoop()
    const playground = new Playground(loop.open, shelves, keptRuns(), new DeviceCare(false))
    playground.spareDevice(true)
    await playground.train('coding', 2)
    const settings = { ...presetSettings('coding+phone'), lambda: 2 }
    expect(loop.commands.at(-1)).toMatchObject(['start', { preset: 'coding+phone', settings }])
    await playground.train('household', 2)
    expect(loop.names).toEqual(['start'])
  })

  it('trains with the world’s own preset from the first screen where the device is not spared', async () => {
    const loop = new FakeLoop()
    const playground = new Playground(loop.open, shelves, keptRuns(), new DeviceCare(false))
    playground.choosePreset('household+policy-only')
    await playground.train('household', 0.5)
    expect(loop.commands.at(-1)).toMatchObject(['start', { preset: 'household' }])
  })
})

describe('a run of a spared device', () => {
  /** The run is slow enough for a rest, whichever view is on show: no component takes part. */
  async function slowed() {
    const shelf = { look: async () => {}, areThere: false }
    const shelves = { household: shelf, coding: shelf, desktop: shelf, own: shelf }
    const loop = new FakeLoop()
    const playground = new Playground(loop.open, shelves, keptRuns(), new DeviceCare(false))
    playground.spareDevice(true)
    await playground.launcher.runOrPause()
    const { runId } = playground.live
    const turn = (state: 'running' | 'pausing' | 'paused') => loop.say({ type: 'status', runId, status: { state } })
    turn('running')
    for (const [i, tokens] of [100, 40, 40].entries()) {
      const timings = { type: 'timings', iteration: i + 1, metrics: { 'perf/tokens_per_s': tokens } } as const
      loop.say({ type: 'events', runId, batch: [timings] })
      await settle()
    }
    /** What the page asked of the run; a preset also patches it. */
    const steps = () => loop.names.filter((name) => name !== 'patch')
    expect(steps()).toEqual(['start', 'pause'])
    return { steps, playground, turn }
  }

  it('rests and continues on every view', async () => {
    const { steps, playground, turn } = await slowed()
    turn('pausing')
    turn('paused')
    expect(playground.launcher.rests.isResting).toBe(true)
    await vi.advanceTimersByTimeAsync(REST_MS)
    expect(steps()).toEqual(['start', 'pause', 'resume'])
    expect(playground.launcher.rests.isResting).toBe(false)
  })

  it('continues at once when the device is spared no longer, and is not resumed a second time', async () => {
    const { steps, playground, turn } = await slowed()
    turn('paused')
    playground.spareDevice(false)
    expect(steps()).toEqual(['start', 'pause', 'resume'])
    expect(playground.launcher.rests.isResting).toBe(false)
    turn('running')
    await playground.launcher.runOrPause()
    turn('paused')
    await vi.advanceTimersByTimeAsync(2 * REST_MS)
    expect(steps()).toEqual(['start', 'pause', 'resume', 'pause'])
  })

  it('takes a requested pause back when the device is spared no longer', async () => {
    const { steps, playground, turn } = await slowed()
    turn('pausing')
    playground.spareDevice(false)
    expect(steps()).toEqual(['start', 'pause', 'resume'])
    turn('running')
    expect(playground.launcher.rests.isResting).toBe(false)
  })

  it('stays paused if its reader paused it, whether or not the device is spared', async () => {
    const { steps, playground, turn } = await slowed()
    turn('paused')
    playground.launcher.rests.end()
    playground.spareDevice(false)
    await vi.advanceTimersByTimeAsync(2 * REST_MS)
    expect(steps()).toEqual(['start', 'pause'])
  })
})

describe('the pace of a run', () => {
  it('asks for no rest while iterations differ by less than half', () => {
    const paces = fc.array(fc.integer({ min: 50, max: 100 }), { maxLength: 40 })
    fc.assert(
      fc.property(paces, (all) => {
        const pace = new Pace()
        expect(all.map((each) => pace.take(each))).not.toContain(true)
      }),
    )
  })

  it('asks for a rest after two slow iterations in a row, and no longer if rests do not help', () => {
    const pace = new Pace()
    const take = (...all: number[]) => all.map((each) => pace.take(each))
    expect(take(90, 100, 40, 100)).toEqual([false, false, false, false])
    expect(take(40, 40, 90)).toEqual([false, true, false])
    expect(take(40, 40, 40, 40, 40, 40)).toEqual([false, true, false, true, false, true])
    expect(take(40, 40, 40, 40)).toEqual([false, false, false, false])
    expect(take(19, 19)).toEqual([false, true])
  })
})

describe('a rest', () => {
  function resting() {
    const run = { pause: vi.fn(), resume: vi.fn() }
    const rests = new Rests(run)
    rests.follow('running')
    for (const tokens of [100, 40, 40]) rests.measure('r', { 'perf/tokens_per_s': tokens })
    expect(run.pause).toHaveBeenCalledTimes(1)
    rests.follow('pausing')
    expect(rests.isResting).toBe(false)
    rests.follow('paused')
    expect(rests.isResting).toBe(true)
    return { run, rests }
  }

  it('pauses the run and resumes it after its time', async () => {
    const { run, rests } = resting()
    await vi.advanceTimersByTimeAsync(REST_MS - 1)
    expect(run.resume).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(run.resume).toHaveBeenCalledTimes(1)
    expect(rests.isResting).toBe(false)
  })

  it.each(['running', 'finished', 'failed', 'loading'] as const)('ends if the run is %s meanwhile', async (state) => {
    const { run, rests } = resting()
    rests.follow(state)
    expect(rests.isResting).toBe(false)
    await vi.advanceTimersByTimeAsync(2 * REST_MS)
    expect(run.resume).not.toHaveBeenCalled()
  })

  it('can be turned into a pause', async () => {
    const { run, rests } = resting()
    rests.end()
    rests.follow('paused')
    await vi.advanceTimersByTimeAsync(2 * REST_MS)
    expect(run.resume).not.toHaveBeenCalled()
    expect(rests.isResting).toBe(false)
  })

  it('counts another run from anew', () => {
    const run = { pause: vi.fn(), resume: vi.fn() }
    const rests = new Rests(run)
    rests.measure('a', { 'perf/tokens_per_s': 100 })
    rests.measure('a', { 'perf/tokens_per_s': 40 })
    rests.measure('a', {})
    rests.measure('b', { 'perf/tokens_per_s': 40 })
    rests.measure('b', { 'perf/tokens_per_s': 40 })
    expect(run.pause).not.toHaveBeenCalled()
  })
})
