import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isLogged } from '../../../src/method/events.ts'
import { RecordedRun } from '../../../src/playground/state/recorded-run.svelte.ts'
import { fakeRun } from '../fake-run.ts'
import { keptRuns, settle, standInForBrowser } from './page-stand-ins.ts'

beforeEach(standInForBrowser)
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const log = [...fakeRun({ iterations: 13 })].filter(isLogged)

async function open(run: RecordedRun, source: ReturnType<ReturnType<typeof keptRuns>['source']>): Promise<void> {
  const opening = run.openKept(source)
  await settle()
  expect(await opening).toBe(true)
}

describe('a kept run on show', () => {
  it('reads an early iteration back, and says when its log was deleted meanwhile', async () => {
    const logs = { fake: log }
    const run = new RecordedRun()
    await open(run, keptRuns(logs).source('fake'))
    logs.fake = []
    const first = () => run.view.iteration(1)!
    const { tallies } = first()
    await run.want(1)
    expect(first()).toMatchObject({ isReleased: true, isGone: true, tallies })
    logs.fake = log
    await run.want(1)
    expect(first()).toMatchObject({ isReleased: false, isGone: false })
    expect(first().episodes.length).toBeGreaterThan(0)
  })

  it('holds eight iterations that were read back, and those that could not be do not count', async () => {
    const long = [...fakeRun({ iterations: 22 })].filter(isLogged)
    const logs = { fake: long }
    const run = new RecordedRun()
    await open(run, keptRuns(logs).source('fake'))
    const isWhole = (iteration: number) => !run.view.iteration(iteration)!.isReleased
    await run.want(1)
    logs.fake = []
    for (let again = 0; again < 9; again++) await run.want(2)
    logs.fake = long
    for (const iteration of [2, 3, 4, 5, 6, 7, 8]) await run.want(iteration)
    expect([1, 2, 8].map(isWhole)).toEqual([true, true, true])
    await run.want(9)
    expect([1, 2, 9].map(isWhole)).toEqual([false, true, true])
  })
})
