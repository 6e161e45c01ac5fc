import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../src/method/events.ts'
import type { IndexedDbRunStore } from '../../src/runs/indexeddb-store.ts'
import { metricRows } from '../../src/runs/metric-rows.ts'
import { writeRunArchive } from '../../src/runs/run-archive.ts'
import { RunLibrary } from '../../src/runs/run-library.ts'
import { newSummary, type RunSummary } from '../../src/runs/run-store.ts'
import { fakeRun, fakeSettings } from '../playground/fake-run.ts'

/** The part of a store that an import uses; counts the events of each run. */
function keeping(kept: Map<string, number>): IndexedDbRunStore {
  const store = {
    summary: async (runId: string) => (kept.has(runId) ? ({ runId } as RunSummary) : null),
    importRun: async ({ runId }: RunSummary, events: AsyncIterable<LoggedEvent[]>) => {
      let count = 0
      for await (const part of events) count += part.length
      kept.set(runId, count)
    },
  }
  return store as unknown as IndexedDbRunStore
}

describe('the library of runs', () => {
  it('imports runs one after another, each under its own name, and none delays the next', async () => {
    const events = [...fakeRun({ iterations: 6 })].filter(isLogged)
    const zip = await writeRunArchive({
      summary: newSummary({ runId: 'a', preset: 'household', settings: fakeSettings, iterations: 6 }, 77),
      rows: metricRows(events),
      async *readEvents() {
        yield events
      },
      checkpoint: null,
    })
    const kept = new Map<string, number>()
    const library = new RunLibrary(async () => keeping(kept))
    const began = performance.now()
    for (let i = 0; i < 6; i++) await library.importRun(new File([zip], 'mine.zip'))
    // The zip library would wait five seconds for each file of a zip that is not closed.
    expect(performance.now() - began).toBeLessThan(5000 * 6)
    expect([...kept.keys()].slice(0, 3)).toEqual(['a', 'a-2', 'a-3'])
    expect(new Set(kept.values())).toEqual(new Set([events.length]))
  })
})
