import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runAnnouncement, runSentence } from '../../../src/playground/shell/run-words.ts'
import { fakeRun } from '../fake-run.ts'
import { running, standInForPage } from '../state/opened-page.ts'
import { settle } from '../state/page-stand-ins.ts'

beforeEach(standInForPage)
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('says that the start of a run is evaluated before its first iteration', async () => {
  const { loop, playground, runId } = await running()
  loop.say({
    type: 'events',
    runId,
    batch: [{ type: 'progress', phase: 'evaluate', done: 3, total: 40, iteration: 0 }],
  })
  await settle()
  expect(runSentence(playground)).toBe('Before iteration 1: evaluating on held-out tasks, 3 of 40')
  expect(runAnnouncement(playground)).toBe('Running, before iteration 1')
  const events = [...fakeRun({ iterations: 1 })]
  const begun = events.findIndex(({ type }) => type === 'iteration-started')
  loop.say({ type: 'events', runId, batch: events.slice(0, begun + 1) })
  await settle()
  expect(runSentence(playground)).toMatch(/^Iteration 1: /u)
})
