import { describe, expect, it, vi } from 'vitest'
import type { KeptRunList } from '../../../../src/playground/state/kept-runs.svelte.ts'
import type { RunOnShow } from '../../../../src/playground/state/run-on-show.ts'
import { BeforeAfter } from '../../../../src/playground/views/episodes/before-after.svelte.ts'

const live = (runId: string) => ({ origin: 'browser', runId, key: `live ${runId}` }) as RunOnShow

describe('before and after', () => {
  it('reads the log of a run once, however often the run changes', async () => {
    const heldOut = vi.fn(async (_runId: string) => [])
    const kept = { has: () => true, heldOut } as unknown as KeptRunList
    const shown = new BeforeAfter()
    for (let event = 0; event < 5; event++) shown.follow(live('one'), kept, 'household')
    expect(heldOut.mock.calls).toEqual([['one']])
    shown.follow(live('two'), kept, 'household')
    shown.follow(live('two'), kept, 'coding')
    expect(heldOut.mock.calls).toEqual([['one'], ['two'], ['two']])
    // A reader may ask again, after another evaluation.
    await shown.load(live('two'), kept, 'coding')
    expect(heldOut).toHaveBeenCalledTimes(4)
  })
})
