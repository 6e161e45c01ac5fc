/** Runs that fail because a server refuses their key, and continue with another one. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import type { Playground } from '../../../src/playground/state/playground.svelte.ts'
import { parseRunLog } from '../../../src/runs/run-log.ts'
import { newSummary, type RunSummary } from '../../../src/runs/run-store.ts'
import { HOUSEHOLD_LOG, page, standInForPage } from './opened-page.ts'
import { keptRuns, settle, type FakeLoop } from './page-stand-ins.ts'

beforeEach(standInForPage)
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const SERVER = 'https://models.example/v1'
const KEYS = { [SERVER]: 'new' }
const request = { preset: 'household', settings: presetSettings('household'), iterations: 9 }
const CHECKPOINT = { iteration: 4, eventCount: 9, bytes: 1 }

/** An opened page whose policy is on a server that has the key "old". */
async function withServer(entry: () => RunSummary | null = () => null) {
  const opened = page(Object.assign(keptRuns(), { find: async () => entry() }))
  await opened.playground.open()
  const { models } = opened.playground.launcher
  models.change('policy', { kind: 'openai', model: 'mine', baseUrl: SERVER })
  models.setServerKey(SERVER, 'old')
  return opened
}

/** The server refuses the key, in the run's first iteration or before. */
async function refuseKey({ live }: Playground, loop: FakeLoop, isStarted: boolean): Promise<void> {
  const { runId } = live
  if (isStarted) loop.say({ type: 'events', runId, batch: parseRunLog(HOUSEHOLD_LOG).slice(0, 3) })
  await settle()
  const failure = { what: 'The run ended early.', why: 'The key was refused.', remedy: '', keyFor: SERVER }
  loop.say({ type: 'status', runId, status: { state: 'failed', failure } })
  expect([live.status.state, live.view.started !== null]).toEqual(['failed', isStarted])
}

it.each<[string, (playground: Playground) => Promise<void>, number]>([
  ['Run', ({ launcher }) => launcher.runOrPause(), 1],
  ['Step', ({ launcher }) => launcher.step('policy'), 2],
  ['Branch', ({ launcher }) => launcher.branch(newSummary({ ...request, runId: 'source' }), 4), 1],
])('repeats %s with the new key', async (_, begin, place) => {
  const { playground, loop } = await withServer()
  await begin(playground)
  await refuseKey(playground, loop, false)
  await playground.launcher.continueWithKey(SERVER, 'new')
  const [first, second] = loop.commands
  expect(first![place]).toMatchObject({ keys: { [SERVER]: 'old' } })
  expect(second).toEqual(first!.map((each, at) => (at === place ? { ...(each as object), keys: KEYS } : each)))
})

it('begins under another id if the run has no checkpoint yet, beside the log of the first attempt', async () => {
  const { playground, loop } = await withServer(() => newSummary({ ...request, runId: 'any' }))
  await playground.launcher.runOrPause()
  const { runId } = playground.live
  await refuseKey(playground, loop, true)
  await playground.launcher.continueWithKey(SERVER, 'new')
  expect(loop.names).toEqual(['start', 'start'])
  expect(loop.commands[1]![1]).toMatchObject({ runId: playground.live.runId, keys: KEYS })
  expect(playground.live.runId).not.toBe(runId)
})

it('resumes a run that has a checkpoint', async () => {
  const { playground, loop } = await withServer(() => ({
    ...newSummary({ ...request, runId: 'any' }),
    checkpoints: [CHECKPOINT],
  }))
  await playground.launcher.runOrPause()
  const { runId } = playground.live
  await refuseKey(playground, loop, true)
  await playground.launcher.continueWithKey(SERVER, 'new')
  expect(loop.commands[1]).toMatchObject(['resumeRun', runId, KEYS])
})

it('resumes the queue at a run of it that has no checkpoint', async () => {
  const { playground, loop } = await withServer(() => newSummary({ ...request, runId: 'any' }))
  const { launcher } = playground
  await launcher.runPlan([], 2, 5)
  const { runId } = playground.live
  await refuseKey(playground, loop, true)
  expect(launcher.queue.held).toBe('failed')
  await launcher.continueWithKey(SERVER, 'new')
  expect(loop.commands[1]).toMatchObject(['start', { iterations: 5, keys: KEYS }])
  expect([launcher.queue.held, launcher.queue.current?.runId]).toEqual([null, playground.live.runId])
  expect(playground.live.runId).not.toBe(runId)
})

it('leaves a run alone that began while the kept runs were being read', async () => {
  let read = () => {}
  const opened = page(Object.assign(keptRuns(), { find: () => new Promise((resolve) => (read = () => resolve(null))) }))
  const { playground, loop } = opened
  await playground.open()
  await playground.launcher.runOrPause()
  await refuseKey(playground, loop, false)
  const continuing = playground.launcher.continueWithKey(SERVER, 'new')
  await playground.launcher.runOrPause()
  read()
  await continuing
  expect(loop.names).toEqual(['start', 'start'])
})
