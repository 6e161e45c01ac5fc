import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { KeptRunList } from '../../../src/playground/state/kept-runs.svelte.ts'
import type { OpenRunLibrary } from '../../../src/playground/state/workers/runs-worker.ts'
import { newSummary, type RunSummary } from '../../../src/runs/run-store.ts'
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

describe('a run of which only the curves are left', () => {
  const settings = presetSettings('household')
  const run = (runId: string, createdAt: number, isEvicted = false): RunSummary => ({
    ...newSummary({ runId, preset: 'household', settings, iterations: 9 }, createdAt),
    isEvicted,
  })

  it('is complete once it is imported again, under the name that the copy got', async () => {
    const entries = [run('a', 7, true), run('a-2', 8), run('b', 7)]
    const runs = listOver({ list: async () => ({ runs: entries, inUse: [], usage: null, quota: null }) })
    await runs.look()
    expect(['a', 'a-2', 'b', 'c'].map((id) => runs.completeId(id))).toEqual([null, 'a-2', 'b', null])
    entries.push(run('a-3', 7))
    await runs.look()
    expect(runs.completeId('a')).toBe('a-3')
  })
})

describe('an import of runs', () => {
  const file = (name: string) => new File([], name)
  /** A list whose worker refuses bad files and unpacks slow ones once they are let go. */
  function importing() {
    let letGo = () => {}
    const gate = new Promise<void>((resolve) => (letGo = resolve))
    const unpacked: string[] = []
    const runs = listOver({
      async importRun({ name }: File) {
        unpacked.push(name)
        if (name.startsWith('slow')) await gate
        if (name.startsWith('bad')) throw new Error('The zip has no run.jsonl.')
        return { runId: name }
      },
      remove: async () => Promise.reject(new Error('It is in use.')),
      pin: async () => {},
    })
    return { runs, letGo: () => letGo(), unpacked }
  }

  it('names the files that could not be kept, and only these', async () => {
    const { runs } = importing()
    const imported = await runs.importFiles([file('bad.zip'), file('good.zip'), file('bad-2.zip')])
    expect(imported.map(({ runId }) => runId)).toEqual(['good.zip'])
    expect(runs.problem).toBe('bad.zip: The zip has no run.jsonl. bad-2.zip: The zip has no run.jsonl.')
  })

  it('waits for the one before, says what is unpacked, and leaves what the others reported', async () => {
    const { runs, letGo, unpacked } = importing()
    const drops = ['bad.zip', 'slow.zip', 'bad-2.zip', 'good.zip'].map((name) => runs.importFiles([file(name)]))
    await drops[0]
    await vi.waitFor(() => expect(runs.doing).toBe('Unpacking slow.zip…'))
    expect(unpacked).toEqual(['bad.zip', 'slow.zip'])
    expect(runs.isImporting).toBe(true)
    letGo()
    const imported = await Promise.all(drops)
    expect(imported.map((found) => found.map(({ runId }) => runId))).toEqual([[], ['slow.zip'], [], ['good.zip']])
    expect(runs.problem).toBe('bad.zip: The zip has no run.jsonl. bad-2.zip: The zip has no run.jsonl.')
    expect([runs.doing, runs.isImporting]).toEqual([null, false])
  })

  it('clears what earlier imports reported once they have ended', async () => {
    const { runs } = importing()
    await runs.importFiles([file('bad.zip')])
    await runs.importFiles([file('good.zip')])
    expect(runs.problem).toBeNull()
  })

  it('keeps its own errors apart from those of other commands meanwhile', async () => {
    const { runs, letGo } = importing()
    const drops = [runs.importFiles([file('bad.zip')]), runs.importFiles([file('slow.zip')])]
    await drops[0]
    expect(await runs.remove('other')).toBe('It is in use.')
    expect(runs.problem).toBe('bad.zip: The zip has no run.jsonl. It is in use.')
    expect(runs.doing, 'while it unpacks').toBe('Unpacking slow.zip…')
    letGo()
    await Promise.all(drops)
    expect(runs.problem).toBe('bad.zip: The zip has no run.jsonl. It is in use.')
  })
})
