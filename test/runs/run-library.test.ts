import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../src/method/events.ts'
import type { IndexedDbRunStore } from '../../src/runs/indexeddb-store.ts'
import { metricRows } from '../../src/runs/metric-rows.ts'
import { writeRunArchive } from '../../src/runs/run-archive.ts'
import { RunLibrary } from '../../src/runs/run-library.ts'
import { serialiseRunLog } from '../../src/runs/run-log.ts'
import { runLocks } from '../../src/runs/run-locks.ts'
import { newSummary, type RunSummary } from '../../src/runs/run-store.ts'
import { fakeRun, fakeSettings } from '../playground/fake-run.ts'

type Kept = Map<string, { events: number; summary: RunSummary }>

/** The part of a store that an import uses; counts the events of each run. */
function keeping(kept: Kept): IndexedDbRunStore {
  const store = {
    summary: async (runId: string) => kept.get(runId)?.summary ?? null,
    importRun: async (summary: RunSummary, events: AsyncIterable<LoggedEvent[]>) => {
      let count = 0
      let finishedIterations = 0
      for await (const part of events) {
        count += part.length
        finishedIterations += part.filter(({ type }) => type === 'iteration-finished').length
      }
      kept.set(summary.runId, { events: count, summary: { ...summary, finishedIterations } })
    },
  }
  return store as unknown as IndexedDbRunStore
}

function archive(events: LoggedEvent[], createdAt: number): Promise<Blob> {
  const summary = newSummary({ runId: 'a', preset: 'household', settings: fakeSettings, iterations: 6 }, createdAt)
  const finishedIterations = events.filter(({ type }) => type === 'iteration-finished').length
  return writeRunArchive({
    summary: { ...summary, finishedIterations },
    rows: metricRows(events),
    async *readEvents() {
      yield events
    },
    checkpoint: null,
  })
}

describe('the library of runs', () => {
  it('imports runs one after another, each under its own name, and none delays the next', async () => {
    const events = [...fakeRun({ iterations: 6 })].filter(isLogged)
    const zips = await Promise.all([0, 1, 2, 3, 4, 5].map((age) => archive(events, age)))
    const kept: Kept = new Map()
    const library = new RunLibrary(async () => keeping(kept), runLocks(null))
    const began = performance.now()
    for (const zip of zips) await library.importRun(new File([zip], 'mine.zip'))
    // The zip library would wait five seconds for each file of a zip that is not closed.
    expect(performance.now() - began).toBeLessThan(5000 * 6)
    expect([...kept.keys()].slice(0, 3)).toEqual(['a', 'a-2', 'a-3'])
    expect(new Set([...kept.values()].map((run) => run.events))).toEqual(new Set([events.length]))
  })

  it('gives the episodes of an iteration with their tokens, and of no other', async () => {
    const log = [...fakeRun({ iterations: 3 })].filter(isLogged)
    const store = {
      rows: async () => metricRows(log),
      async *readEvents(_: string, from: number, to: number) {
        yield log.filter(({ seq }) => seq >= from && seq < to)
      },
    }
    const library = new RunLibrary(async () => store as unknown as IndexedDbRunStore, runLocks(null))
    const lines = (await (await library.episodeLog('a', 2)).text()).trim().split('\n')
    const wanted = log.filter(({ type, iteration }) => type === 'episode' && iteration === 2)
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(wanted)
    expect(await (await library.episodeLog('a', 9)).text()).toBe('')
  })

  it('gives the changes of settings and models with which an iteration began, and nothing of an attempt before it', async () => {
    const log = [...fakeRun({ iterations: 3 })].filter(isLogged)
    const at = log.findIndex(({ type, iteration }) => type === 'iteration-started' && iteration === 2)
    const change = { type: 'settings-changed', patch: { lambda: 3 }, seq: 0, iteration: 2 } as const
    const replaced = { type: 'model-replaced', role: 'policy', model: 'other', seq: 0, iteration: 2 } as const
    const attempt = log.slice(at, at + 9)
    const events = [...log.slice(0, at), change, replaced, ...attempt, ...log.slice(at)].map(
      (event, seq): LoggedEvent => ({ ...event, seq }),
    )
    const store = {
      rows: async () => metricRows(events),
      async *readEvents(_: string, from: number, to: number) {
        yield events.slice(from, to)
      },
    }
    const library = new RunLibrary(async () => store as unknown as IndexedDbRunStore, runLocks(null))
    const own = await library.iterationEvents('a', 2)
    const whole = log.filter(({ iteration }) => iteration === 2)
    expect(own.map(({ type }) => type)).toEqual([change, replaced, ...whole].map(({ type }) => type))
    expect(own[0]).toMatchObject({ patch: { lambda: 3 } })
    expect((await library.iterationEvents('a', 3)).map(({ iteration }) => iteration)).not.toContain(2)
  })

  it('keeps a run that is imported twice once, unless it has become longer or was only a part', async () => {
    const events = [...fakeRun({ iterations: 6 })].filter(isLogged)
    const upTo = (last: number) => events.filter(({ iteration }) => iteration <= last)
    const kept: Kept = new Map()
    const library = new RunLibrary(async () => keeping(kept), runLocks(null))
    const importOf = async (part: LoggedEvent[], age: number) =>
      (await library.importRun(new File([await archive(part, age)], 'mine.zip'))).runId
    expect(await importOf(upTo(3), 7)).toBe('a')
    expect(await importOf(upTo(3), 7)).toBe('a')
    expect(await importOf(upTo(3), 8), 'another run of the same name').toBe('a-2')
    expect(await importOf(upTo(5), 7), 'the run, continued elsewhere').toBe('a-3')
    expect([await importOf(upTo(5), 7), await importOf(upTo(2), 8)]).toEqual(['a-3', 'a-2'])
    expect([...kept.keys()]).toEqual(['a', 'a-2', 'a-3'])
  })

  describe('imports a run log of the command line', () => {
    const log = serialiseRunLog([...fakeRun({ iterations: 4 })].filter(isLogged))
    const runId = (JSON.parse(log.split('\n')[1]!) as { runId: string }).runId
    const fileOf = (content: BlobPart, name = 'run.jsonl') => new File([content], name, { lastModified: 1000 })
    const importing = () => {
      const kept: Kept = new Map()
      return { kept, library: new RunLibrary(async () => keeping(kept), runLocks(null)) }
    }

    it('packed or not, once', async () => {
      const { kept, library } = importing()
      const summary = await library.importRun(fileOf(log))
      expect(summary).toMatchObject({ runId, iterations: 4, finishedIterations: 4, isFinished: true, createdAt: 1000 })
      expect(summary.origin).toEqual({ kind: 'import', name: 'run.jsonl' })
      expect(summary.checkpoints).toEqual([])
      const packed = await library.importRun(fileOf(gzipSync(log), 'run.jsonl.gz'))
      expect([packed.runId, kept.size]).toEqual([runId, 1])
      expect(kept.get(runId)!.events).toBe(log.trimEnd().split('\n').length - 1)
    })

    it('under another name where another seed has its name', async () => {
      const { library } = importing()
      const { seed } = fakeSettings
      await library.importRun(fileOf(log))
      const other = log.replaceAll(`"seed":${seed},`, `"seed":${seed + 1},`)
      expect((await library.importRun(fileOf(other))).runId).toBe(`${runId}-2`)
    })

    it('and keeps nothing of one that is damaged', async () => {
      const { kept, library } = importing()
      await expect(library.importRun(fileOf(log.slice(0, -20)))).rejects.toThrow('it is incomplete')
      await expect(library.importRun(fileOf('{"format":"other"}\n'))).rejects.toThrow('not the header of a run log')
      await expect(library.importRun(fileOf(log.split('\n')[0]!))).rejects.toThrow('the run has not started')
      const packed = gzipSync(log)
      await expect(library.importRun(fileOf(packed.subarray(0, packed.length / 2), 'a.gz'))).rejects.toThrow(
        'It cannot be unpacked',
      )
      expect(kept.size).toBe(0)
    })
  })
})
