import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isLogged, type LoggedEvent, type RunEvent } from '../../../src/method/events.ts'
import { LoopCommands } from '../../../src/playground/state/loop-commands.ts'
import { RunFeed, type RunEnd } from '../../../src/playground/state/run-feed.svelte.ts'
import { newSummary } from '../../../src/runs/run-store.ts'
import { fakeRun, fakeSettings } from '../fake-run.ts'
import { FakeLoop, keptRuns, settle, standInForBrowser } from './page-stand-ins.ts'

beforeEach(standInForBrowser)
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const events = [...fakeRun({ iterations: 3, ephemeral: true })]
const batch = (part: readonly RunEvent[], runId = 'fake') => ({ type: 'events' as const, runId, batch: [...part] })
const running = { type: 'status', runId: 'fake', status: { state: 'running' } } as const

function feedOf(runId = 'fake', options?: ConstructorParameters<typeof RunFeed>[0]): RunFeed {
  const feed = new RunFeed(options)
  feed.expect(runId)
  return feed
}

/** A browser that keeps the log as far as it was stored, or only its curves. */
function keptLog(log: readonly LoggedEvent[], finishedIterations = log.at(-1)!.iteration, isEvicted = false) {
  const run = { runId: 'fake', preset: 'household', settings: fakeSettings, iterations: 40 }
  const stored = isEvicted ? [] : log.filter(({ iteration }) => iteration <= finishedIterations)
  const { source } = keptRuns({ fake: stored })
  return { source, entries: [{ ...newSummary(run), finishedIterations, isEvicted }] }
}

describe('the feed of a run', () => {
  it('folds the events that it hears', async () => {
    const feed = feedOf()
    feed.hear(batch(events))
    expect(feed.view.iterations.length, 'events are folded in a later task').toBe(0)
    await settle()
    expect(feed.view.iterations.length).toBe(3)
    expect(feed.lengthFor('curves')).toBe(3)
    expect(feed.timings).toEqual({ 'timing_s/gen': 2, 'timing_s/step': 5 })
  })

  it('shows steps of an episode until the episode is recorded', async () => {
    const feed = feedOf()
    const first = events.findIndex(({ type }) => type === 'episode')
    feed.hear(batch(events.slice(0, first)))
    await settle()
    const [[episodeId, steps]] = [...feed.liveSteps] as [[string, unknown[]]]
    expect(steps.length).toBeGreaterThan(0)
    feed.hear(batch(events.slice(first, first + 1)))
    await settle()
    expect(feed.liveSteps.size).toBe(0)
    expect(feed.view.episodes.has(episodeId)).toBe(true)
  })

  it('forgets that a run failed only if it never started', async () => {
    const failure = { what: 'It failed.', why: 'No memory.', remedy: 'Close a tab.' }
    const failed = { type: 'status', runId: 'fake', status: { state: 'failed', failure } } as const
    const feed = feedOf()
    feed.hear(failed)
    feed.forgetFailedStart()
    expect(feed.status.state).toBe('idle')
    feed.expect('fake')
    feed.hear(batch(events))
    await settle()
    feed.hear(failed)
    feed.forgetFailedStart()
    expect(feed.status.state).toBe('failed')
  })

  it('ignores a run that was replaced', async () => {
    const feed = feedOf('second')
    feed.hear(batch(events, 'first'))
    feed.hear({ type: 'status', runId: 'first', status: { state: 'finished', reason: 'stopped' } })
    await settle()
    expect(feed.view.iterations).toEqual([])
    expect(feed.status.state).toBe('loading')
  })

  it('reports once that a continued run has caught up, after its history is folded', async () => {
    const feed = new RunFeed()
    const caughtUp = vi.fn(() => expect(feed.view.iterations.length).toBe(3))
    feed.expect('fake', caughtUp)
    feed.hear(batch(events))
    await settle()
    expect(caughtUp).not.toHaveBeenCalled()
    feed.hear(running)
    feed.hear(batch([]))
    await settle()
    feed.hear(batch([]))
    await settle()
    expect(caughtUp).toHaveBeenCalledTimes(1)
  })

  it('passes on one event of an iteration at a time in slow motion, and the rest at once afterwards', async () => {
    vi.stubGlobal('document', { hidden: false })
    const feed = feedOf()
    feed.isSlow = true
    const logged = events.filter(isLogged).slice(0, 40)
    feed.hear(running)
    feed.hear(batch(logged))
    await vi.advanceTimersByTimeAsync(125)
    // All that sets the run up, and the first event that can be seen.
    const first = logged.findIndex(({ iteration }) => iteration > 0) + 1
    expect(feed.view.eventCount).toBe(first)
    await vi.advanceTimersByTimeAsync(240)
    expect(feed.view.eventCount).toBe(first + 2)
    feed.isSlow = false
    await settle()
    expect(feed.view.eventCount).toBe(40)
  })

  it('reports how a run ended', () => {
    const ended: [string, RunEnd][] = []
    const feed = feedOf('fake', { onEnded: (runId, how) => ended.push([runId, how]) })
    feed.hear({ type: 'status', runId: 'fake', status: { state: 'finished', reason: 'completed' } })
    feed.fail({ what: 'It failed.', why: '', remedy: '' })
    expect(ended).toEqual([
      ['fake', 'completed'],
      ['fake', 'failed'],
    ])
  })

  it('reads an iteration of a kept run back that was released', async () => {
    const log = events.filter(isLogged)
    const feed = feedOf('fake', { kept: keptRuns({ fake: log }) })
    feed.hear(batch(events))
    await settle()
    feed.view.release(1)
    const stepsOf = () => feed.view.iteration(1)!.episodes[0]?.episode.steps.length
    expect(stepsOf()).toBeUndefined()
    await feed.want(1)
    expect(stepsOf()).toBeGreaterThan(0)
  })

  it('keeps the texts of the iteration on show, however far the run continues', async () => {
    const log = [...fakeRun({ iterations: 13 })].filter(isLogged)
    const feed = feedOf('fake', { kept: keptLog(log) })
    const upTo = (last: number) => log.filter(({ iteration }) => iteration <= last)
    feed.hear(batch(upTo(2)))
    await settle()
    await feed.want(2)
    feed.hear(batch(log.slice(upTo(2).length)))
    await settle()
    const isReleased = (iteration: number) => feed.view.iteration(iteration)!.isReleased
    expect([1, 2, 3, 4].map(isReleased)).toEqual([true, false, true, false])
    await feed.want(13)
    expect(isReleased(2)).toBe(true)
  })

  it('holds the episodes of ten iterations, however long the run', async () => {
    const log = [...fakeRun({ iterations: 40 })].filter(isLogged)
    const feed = feedOf('fake', { kept: keptLog(log) })
    feed.hear(batch(log))
    await settle()
    await feed.want(40)
    const held = feed.view.iterations.filter(({ episodes }) => episodes.length > 0).map(({ iteration }) => iteration)
    expect(held).toEqual([31, 32, 33, 34, 35, 36, 37, 38, 39, 40])
    const played = held.reduce((sum, number) => sum + feed.view.iteration(number)!.episodes.length, 0)
    expect([...feed.view.episodes.values()].filter(({ episode }) => episode.split === 'train').length).toBe(played)
  })

  it('releases only what is stored, and the rest once it is', async () => {
    const log = [...fakeRun({ iterations: 14 })].filter(isLogged)
    const kept = keptLog(log, 2)
    const feed = feedOf('fake', { kept })
    feed.hear(batch(log))
    await settle()
    const released = () => feed.view.iterations.filter(({ isReleased }) => isReleased).map(({ iteration }) => iteration)
    expect(released()).toEqual([1, 2])
    kept.entries = keptLog(log, 3).entries
    await feed.want(14)
    expect(released()).toEqual([1, 2, 3])
  })

  it('releases nothing of a run of which only the curves are kept', async () => {
    const log = [...fakeRun({ iterations: 12 })].filter(isLogged)
    const feed = feedOf('fake', { kept: keptLog(log, 12, true) })
    feed.hear(batch(log))
    await settle()
    expect(feed.view.iterations.some(({ isReleased }) => isReleased)).toBe(false)
  })

  it('does not restore texts into another run that began meanwhile', async () => {
    const log = events.filter(isLogged)
    const feed = feedOf('fake', { kept: keptRuns({ fake: log }) })
    feed.hear(batch(events))
    await settle()
    feed.view.release(1)
    const reading = feed.want(1)
    feed.expect('other')
    const restored = vi.spyOn(feed.view, 'restore')
    await reading
    expect(restored).not.toHaveBeenCalled()
  })
})

describe('commands to the loop', () => {
  const request = { runId: 'fake', preset: 'household', settings: fakeSettings, iterations: 3 }

  it('open one worker and pass what it says to the feed', async () => {
    const loop = new FakeLoop()
    const feed = new RunFeed()
    const commands = new LoopCommands(loop.open, feed)
    await commands.start(request)
    loop.say(running)
    await commands.pause()
    expect(feed.status.state).toBe('pausing')
    await commands.stop()
    expect(loop.opened).toBe(1)
    expect(loop.names).toEqual(['start', 'pause', 'stop'])
  })

  it('turn what a command throws into a failure of the run', async () => {
    const loop = new FakeLoop()
    const feed = new RunFeed()
    loop.error = new Error('no memory')
    await new LoopCommands(loop.open, feed).start(request)
    expect(feed.status).toMatchObject({
      state: 'failed',
      failure: { what: 'The run could not be started.', why: 'no memory' },
    })
  })

  it('fail the run when its worker stops, and open another worker for the next', async () => {
    const loop = new FakeLoop()
    const feed = new RunFeed()
    const commands = new LoopCommands(loop.open, feed)
    await commands.start(request)
    loop.say(running)
    loop.lose('out of memory')
    expect(feed.status).toMatchObject({ state: 'failed', failure: { why: 'out of memory' } })
    await commands.start(request)
    expect(loop.opened).toBe(2)
  })

  it('send changed settings only to a run that is open', async () => {
    const loop = new FakeLoop()
    const feed = new RunFeed()
    const commands = new LoopCommands(loop.open, feed)
    await commands.patch({ lambda: 2 })
    expect(loop.names).toEqual([])
    await commands.start(request)
    loop.say(running)
    await commands.patch({ lambda: 2 })
    expect(loop.commands.at(-1)).toEqual(['patch', { lambda: 2 }])
  })
})
