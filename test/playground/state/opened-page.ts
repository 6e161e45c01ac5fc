/** The state of a page in a stand-in for a browser, with shipped recordings, and a run under way if a test needs one. */
import { vi } from 'vitest'
import { DeviceCare } from '../../../src/playground/state/device-care.svelte.ts'
import { Playground } from '../../../src/playground/state/playground.svelte.ts'
import type { WorldShelf } from '../../../src/playground/state/world-shelf.ts'
import { fakeCodingRunLines } from '../fake-coding-run.ts'
import { fakeRunLines } from '../fake-run.ts'
import { FakeLoop, keptRuns, standInForBrowser } from './page-stand-ins.ts'

/** A run of three iterations, as a file. */
export const HOUSEHOLD_LOG = fakeRunLines({ iterations: 3 })

const RECORDINGS: Record<string, string> = {
  './runs/household.jsonl': HOUSEHOLD_LOG,
  './runs/coding.jsonl': fakeCodingRunLines(),
  './runs/coding-grpo.jsonl.gz': fakeCodingRunLines(),
}

/** Stands in for a browser and for what the page fetches. Undone by `vi.useRealTimers` and `vi.unstubAllGlobals`. */
export function standInForPage(): void {
  standInForBrowser()
  vi.stubGlobal('fetch', async (address: string) =>
    Object.hasOwn(RECORDINGS, address) ? new Response(RECORDINGS[address]) : new Response(null, { status: 404 }),
  )
}

export const shelf = { look: async () => {}, areThere: false }

export function page(
  runs = keptRuns(),
  care = new DeviceCare(false),
  own: Pick<WorldShelf, 'look' | 'supplies'> = shelf,
) {
  const loop = new FakeLoop()
  const shelves = { household: shelf, coding: shelf, desktop: shelf, own }
  const playground = new Playground(loop.open, shelves, runs, care)
  return { loop, playground }
}

/** An opened page with a run under way. */
export async function running(runs = keptRuns()) {
  const opened = page(runs)
  const { loop, playground } = opened
  await playground.open()
  await playground.launcher.runOrPause()
  const { runId } = playground.live
  loop.say({ type: 'status', runId, status: { state: 'running' } })
  return { ...opened, runId }
}
