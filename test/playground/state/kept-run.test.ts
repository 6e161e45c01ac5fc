import { describe, expect, it } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { KeptRun } from '../../../src/playground/state/kept-run.svelte.ts'
import { newSummary, type RunSummary } from '../../../src/runs/run-store.ts'

function run(runId: string, updatedAt: number, change: Partial<RunSummary> = {}): RunSummary {
  const summary = newSummary({ runId, preset: 'household', settings: presetSettings('household'), iterations: 9 })
  return { ...summary, updatedAt, checkpoints: [{ iteration: 4, eventCount: 9, bytes: 1 }], ...change }
}

function list(entries: RunSummary[], inUse: readonly string[] = []) {
  return {
    entries,
    isInUse: (runId: string) => inUse.includes(runId),
    problem: null as string | null,
    async remove(runId: string) {
      if (this.problem === null) this.entries = this.entries.filter((entry) => entry.runId !== runId)
      return this.problem
    },
  }
}

describe('the run on offer', () => {
  it('is the latest that is unfinished, has a checkpoint and is used by no tab', () => {
    const inUse = ['running']
    const runs = list(
      [
        run('old', 1),
        run('latest', 3),
        run('older', 2),
        run('running', 4),
        run('finished', 5, { isFinished: true }),
        run('empty', 6, { checkpoints: [] }),
      ],
      inUse,
    )
    const kept = new KeptRun(runs)
    expect(kept.offer).toEqual({
      runId: 'latest',
      preset: 'household',
      iterations: 9,
      finishedIterations: 4,
      updatedAt: 3,
    })
    inUse.pop()
    expect(kept.offer?.runId, 'once its tab is closed').toBe('running')
    kept.claim('running')
    expect(kept.offer?.runId, 'not one of this visit').toBe('latest')
    kept.release('running')
    expect(kept.offer?.runId, 'which another tab had').toBe('running')
  })

  it('is gone when it is discarded, and stays with the reason when that failed', async () => {
    const runs = list([run('a', 3), run('b', 2), run('c', 1)])
    const kept = new KeptRun(runs)
    await kept.discard('c')
    expect(kept.offer?.runId, 'which was not the one to discard').toBe('a')
    await kept.discard('a')
    expect([kept.offer?.runId, kept.problem]).toEqual(['b', null])
    runs.problem = 'in use'
    await kept.discard('b')
    expect([kept.offer?.runId, kept.problem]).toEqual(['b', 'in use'])
  })
})
