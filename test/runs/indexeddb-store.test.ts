/** A database that another tab blocks, takes over or deletes, or that is full. How runs are kept in a real browser is tested in test/browser. */
import { deleteDB, openDB } from 'idb'
import { describe, expect, it, vi } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { presetSettings } from '../../src/method/presets.ts'
import type { LivePatch, Settings } from '../../src/method/settings.ts'
import { RunStoreError } from '../../src/runs/indexeddb-failures.ts'
import { runDatabase } from '../../src/runs/indexeddb-schema.ts'
import { IndexedDbRunStore } from '../../src/runs/indexeddb-store.ts'
import { newSummary, RunLostError } from '../../src/runs/run-store.ts'
import { databaseName } from '../../src/storage/deployment.ts'
import { freshDatabases } from '../storage/fresh-databases.ts'

freshDatabases()

const NO_BYTES = new Uint8Array()
const FINISHED = { type: 'run-finished', reason: 'stopped', seq: 0, iteration: 1 } as const

const summaryOf = (runId: string) =>
  newSummary({ runId, preset: 'household', settings: presetSettings('household'), iterations: 3 })

describe('the store of runs', () => {
  it('reports a database in which a reading never ends, and opens once it has ended', async () => {
    const other = await runDatabase('blocked').open()
    const reading = other.transaction('runs')
    let isReading = true
    const readOn = async () => {
      while (isReading) await reading.store.count()
    }
    const read = readOn()
    await expect(IndexedDbRunStore.open('blocked', 20)).rejects.toThrow('storage does not answer')
    isReading = false
    await read
    const store = await IndexedDbRunStore.open('blocked')
    expect(await store.list()).toEqual([])
    store.close()
    other.close()
  })

  it('keeps which version of a world of one’s own a run plays in, without its script', async () => {
    const store = await IndexedDbRunStore.open('own')
    const run = { runId: 'a', preset: 'own', settings: presetSettings('own'), iterations: 3 }
    await store.create(newSummary(run))
    const worldFile = { name: 'Numbers', file: 'numbers.ts', script: 'globalThis.ownWorld = {}', hash: 'a'.repeat(64) }
    const models = { policy: 'p', reward: 'r', author: 'a' }
    await store.append('a', [{ type: 'run-started', seq: 0, iteration: 0, ...run, backend: 'cpu', models, worldFile }])
    expect((await store.summary('a'))!.worldFile).toEqual({ name: 'Numbers', hash: 'a'.repeat(64) })
    store.close()
  })

  it('gives the summary of an older run the default of a setting that came later', async () => {
    const store = await IndexedDbRunStore.open('older')
    const run = { runId: 'old', preset: 'household', settings: presetSettings('household'), iterations: 3 }
    await store.create(newSummary({ ...run, models: {}, keyedServers: [] }))
    store.close()
    const database = await runDatabase('older').open()
    const { screen: _, ...before } = presetSettings('household')
    await database.put('runs', { ...(await database.get('runs', 'old'))!, settings: before as Settings })
    database.close()
    const again = await IndexedDbRunStore.open('older')
    expect((await again.summary('old'))!.settings).toEqual(presetSettings('household'))
    expect((await again.list())[0]!.settings.screen).toBe('text')
    again.close()
  })

  it('resumes a run with the changes that waited for its next iteration, once', async () => {
    const store = await IndexedDbRunStore.open('waiting')
    await store.create(summaryOf('a'))
    const change = (seq: number, patch: LivePatch) =>
      ({ type: 'settings-changed', patch, seq, iteration: 2 }) as const satisfies LoggedEvent
    const finished = { type: 'iteration-finished', metrics: {}, seq: 0, iteration: 1 } as const
    await store.append('a', [finished])
    await store.saveCheckpoint({ runId: 'a', iteration: 1, eventCount: 1, policy: NO_BYTES, reward: NO_BYTES })
    await store.append('a', [change(1, { lambda: 2 })])
    await store.keepPatch('a', { lambda: 3 })
    await store.keepPatch('a', { lambda: 4 })
    expect(await store.branch('a', 1, { runId: 'b', iterations: 3, patch: { alphaLow: 0.1 } })).toMatchObject({
      changes: [{ patch: { alphaLow: 0.1 } }],
    })
    expect((await store.prepareResume('b'))!.history).toEqual([finished, change(1, { alphaLow: 0.1 })])

    const resumed = [finished, change(1, { lambda: 2 }), change(2, { lambda: 4 })]
    for (let time = 0; time < 2; time++) {
      const { history, summary } = (await store.prepareResume('a'))!
      expect(history).toEqual(resumed)
      expect(summary.changes.map(({ patch }) => patch)).toEqual([{ lambda: 2 }, { lambda: 4 }])
    }
    await store.keepPatch('a', { lambda: 5 })
    await store.append('a', [change(3, { lambda: 5 })])
    expect((await store.prepareResume('a'))!.history).toEqual([...resumed, change(3, { lambda: 5 })])
    store.close()
  })

  it('makes way for a newer version of the page in another tab, and says so', async () => {
    const store = await IndexedDbRunStore.open('newer')
    await store.create(summaryOf('a'))
    const newer = await openDB(await databaseName('newer'), 99)
    const problem = 'A newer version of this page, open in another tab, keeps the runs now.'
    await expect(store.list()).rejects.toThrow(problem)
    await expect(store.append('a', [FINISHED])).rejects.toThrow(problem)
    await expect(IndexedDbRunStore.open('newer')).rejects.toThrow(problem)
    newer.close()
    store.close()
  })

  it('opens its database again after another tab has deleted it', async () => {
    const store = await IndexedDbRunStore.open('deleted')
    await store.create(summaryOf('a'))
    await deleteDB(await databaseName('deleted'))
    await expect(store.append('a', [FINISHED])).rejects.toThrow(RunLostError)
    await store.create(summaryOf('b'))
    await store.append('b', [FINISHED])
    expect((await store.list()).map(({ runId }) => runId)).toEqual(['b'])
    store.close()
  })

  it('says that the space for the page is full, whatever it writes', async () => {
    const store = await IndexedDbRunStore.open('full')
    await store.create(summaryOf('a'))
    await store.append('a', [FINISHED])
    const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('Encountered full disk while opening backing store', 'QuotaExceededError')
    })
    const writings = [
      () => store.create(summaryOf('b')),
      () => store.saveTimings('a', 1, { 'timing_s/step': 1 }),
      () => store.finish('a'),
      () => store.pin('a', true),
      () => store.evict('a'),
    ]
    for (const write of writings) {
      const error: unknown = await write().catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(RunStoreError)
      expect((error as Error).message).toContain('The browser’s space for this page is full')
    }
    put.mockRestore()
    expect(await store.list()).toMatchObject([{ runId: 'a', isFinished: false, isPinned: false, isEvicted: false }])
    store.close()
  })
})
