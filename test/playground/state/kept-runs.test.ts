import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { KeptRunList } from '../../../src/playground/state/kept-runs.svelte.ts'
import type { OpenRunLibrary } from '../../../src/playground/state/workers/runs-worker.ts'
import type { RunSummary } from '../../../src/runs/run-store.ts'
import { standInForBrowser } from './page-stand-ins.ts'

beforeEach(standInForBrowser)
afterEach(() => vi.unstubAllGlobals())

/** A list over a worker that answers with `remote`. */
function listOver(remote: object): KeptRunList {
  const open = () => ({ remote, lost: new Promise<never>(() => {}), terminate: () => {} })
  return new KeptRunList(open as unknown as OpenRunLibrary, () => {
    throw new Error('No models are kept here.')
  })
}
const listed = (runs: readonly RunSummary[]) => async () => ({ runs, inUse: [], usage: null, quota: null })

describe('the kept runs', () => {
  it('are unknown, not none, if they cannot be listed', async () => {
    const runs = listOver({ list: async () => Promise.reject(new Error('The database is gone.')) })
    await runs.look()
    expect([runs.entries, runs.problem]).toEqual([null, 'The database is gone.'])
  })

  it('are none once they are listed, although a command failed before', async () => {
    const runs = listOver({ list: listed([]), remove: async () => Promise.reject(new Error('It is in use.')) })
    await runs.remove('a')
    await runs.look()
    expect([runs.entries, runs.problem]).toEqual([[], 'It is in use.'])
  })
})
