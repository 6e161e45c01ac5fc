/** A run of this tab that begins while another run is being opened to be shown. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { showLinked } from '../../../src/playground/state/linked-run.ts'
import type { Playground } from '../../../src/playground/state/playground.svelte.ts'
import { parseRunLog } from '../../../src/runs/run-log.ts'
import { HOUSEHOLD_LOG, page, standInForPage } from './opened-page.ts'
import { keptRuns, settle } from './page-stand-ins.ts'

beforeEach(standInForPage)
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const log = () => new File([HOUSEHOLD_LOG], 'mine.jsonl')

/** An opened page that shows a log from a file. */
async function withLog(): Promise<Playground> {
  const runs = keptRuns({ kept: parseRunLog(HOUSEHOLD_LOG) })
  const { playground } = page(Object.assign(runs, { importFiles: async () => [{ runId: 'kept' }] }))
  await playground.open()
  await playground.openFile(log())
  return playground
}

/** Begins to open something, and presses Run before it is there. */
async function runDuring<Opened>(playground: Playground, opening: Promise<Opened>): Promise<Opened> {
  await playground.launcher.runOrPause()
  await settle()
  return opening
}

it.each<[string, (playground: Playground) => Promise<unknown>]>([
  ['a kept run', (playground) => playground.openKept('kept')],
  ['an imported run', (playground) => playground.importRuns([new File([], 'kept.zip')])],
  ['a log', (playground) => playground.openFile(log())],
  ['a published recording', (playground) => playground.showRecording('coding-grpo')],
  ['the shipped recording', (playground) => playground.showShipped()],
])('stays on show in place of %s, with its settings on the controls', async (_, open) => {
  const playground = await withLog()
  await runDuring(playground, open(playground))
  expect([playground.source, playground.world]).toEqual(['live', 'household'])
})

it('is not searched for the step of a link to another run', async () => {
  const playground = await withLog()
  const lookAt = vi.spyOn(playground.focus, 'lookAt')
  const spot = { iteration: 2, taskId: null, rollout: 0, step: 0, test: null, isOnHeads: false }
  const linked = showLinked(
    { spot, run: 'kept', hasContent: false },
    { playground, focus: playground.focus },
    () => true,
  )
  expect(await runDuring(playground, linked)).toEqual({ problem: null, isMissing: false })
  expect([playground.source, lookAt.mock.calls]).toEqual(['live', []])
})
