import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../src/method/events.ts'
import { foldRun, type RunView } from '../../src/runs/fold.ts'
import { runLoop } from '../../src/method/loop.ts'
import { fakeRun } from '../playground/fake-run.ts'
import { smallSettings, world } from '../method/corridor.ts'

/** All that a page reads from a view, except the phase, which `at` does not set. */
function shown(view: RunView): object {
  const { started, settings, settingsChanges, iterations, tasks, rewrites, evaluations } = view
  const { policyVersion, rewardVersion, finished, eventCount } = view
  const series = Object.fromEntries(view.seriesNames.map((name) => [name, view.series(name)]))
  return {
    ...{ started, settings, settingsChanges, iterations, tasks, rewrites, evaluations },
    ...{ policyVersion, rewardVersion, finished, eventCount, series },
  }
}

async function corridorRun(): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = []
  const request = { runId: 'a', preset: 'household', backend: 'cpu', models: { policy: 'p', reward: 'r', author: 'a' } }
  let asked = 0
  const takePatch = () => (++asked === 3 ? { lambda: 0.5 } : null)
  const settings = smallSettings({ evaluateEvery: 2 })
  for await (const event of runLoop(world(), { ...request, settings, iterations: 6, takePatch }))
    if (isLogged(event)) events.push(event)
  return events
}

describe.each([
  ['made up', async () => [...fakeRun({ iterations: 12 })].filter(isLogged)],
  ['of the loop', corridorRun],
])('a view of a whole run %s', (_, makeEvents) => {
  it('equals the fold of the log up to each iteration', async () => {
    const events = await makeEvents()
    const whole = foldRun(events)
    expect([...whole.rewrites.values()].some(({ resolution }) => resolution !== null)).toBe(true)
    for (let iteration = 0; iteration <= whole.iterations.length; iteration++) {
      const end = events.findLastIndex((event) => event.iteration <= iteration) + 1
      expect(shown(whole.at(iteration))).toEqual(shown(foldRun(events.slice(0, end))))
    }
  })

  it('frees the episodes of an iteration but not their outcomes, and restores them', async () => {
    const events = await makeEvents()
    const whole = foldRun(events)
    whole.release(2)
    const released = whole.iteration(2)!
    expect(released.isReleased).toBe(true)
    expect(released.episodes).toEqual([])
    const own = ({ iteration }: { iteration: number }) => iteration === 2
    expect(
      [...whole.episodes.values()].filter(({ episode, iteration }) => iteration === 2 && episode.split === 'train'),
    ).toEqual([])
    for (const { taskId, won, played } of released.tallies)
      expect(whole.tasks.get(taskId)!.history.find(own)).toMatchObject({ won, played })
    expect(released.tallies.map(({ taskId }) => taskId).sort()).toEqual(
      [...whole.tasks.values()]
        .filter(({ history }) => history.some(own))
        .map(({ task }) => task.id)
        .sort(),
    )
    whole.restore(2, events.filter(own))
    expect(shown(whole)).toEqual(shown(foldRun(events)))
    expect(whole.episodes).toEqual(foldRun(events).episodes)
  })
})

it('leaves an iteration released, with its outcomes, when its events cannot be read back in full', () => {
  const events = [...fakeRun({ iterations: 3 })].filter(isLogged)
  const second = events.filter(({ iteration }) => iteration === 2)
  const whole = foldRun(events)
  whole.release(2)
  const { tallies } = whole.iteration(2)!
  for (const read of [[], second.slice(0, -4)]) {
    whole.restore(2, read)
    expect(whole.iteration(2)).toMatchObject({ isReleased: true, isGone: true, episodes: [], tallies })
  }
  whole.restore(2, second)
  expect(whole.iteration(2)).toMatchObject({ isReleased: false, isGone: false, tallies: [] })
})

it('restores the last attempt of an iteration that was interrupted once', () => {
  const events = [...fakeRun({ iterations: 3 })].filter(isLogged)
  const second = events.filter(({ iteration }) => iteration === 2)
  const cut = second.slice(0, second.findIndex(({ type }) => type === 'episode') + 3)
  const log = [...events.filter(({ iteration }) => iteration < 2), ...cut, ...second]
  const whole = foldRun(log)
  whole.release(2)
  whole.restore(2, [...cut, ...second])
  expect(whole.iteration(2)!.episodes).toEqual(foldRun(log).iteration(2)!.episodes)
})
