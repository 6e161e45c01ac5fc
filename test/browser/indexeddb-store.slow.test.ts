/** The store of runs in a real IndexedDB. Its sources are served without a build. */
import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { presetSettings } from '../../src/method/presets.ts'
import { newSummary, type RunCheckpoint, type RunSummary } from '../../src/runs/run-store.ts'
import { chunkBytes, packChunk } from '../../src/runs/event-chunk.ts'
import { stateEvent } from '../../src/runs/state-event.ts'
import { useBlankPage } from './blank-page.ts'

declare global {
  /** Added to the standard library in 2024; the browsers of these tests support it. */
  interface ArrayConstructor {
    fromAsync<T>(items: AsyncIterable<T>): Promise<T[]>
  }
}

/** The module's exports are globals of the page. */
type StoreModule = typeof import('../../src/runs/indexeddb-store.ts')

function iteration(number: number, firstSeq: number): LoggedEvent[] {
  return [
    { type: 'iteration-started', taskIds: ['t'], pendingTaskIds: [], seq: firstSeq, iteration: number },
    { type: 'iteration-finished', metrics: { 'policy/acc': number / 8 }, seq: firstSeq + 1, iteration: number },
  ]
}

function summary(runId: string): RunSummary {
  return newSummary({ runId, preset: 'household', settings: presetSettings('household'), iterations: 9 }, 1)
}

describe('the store of runs in the browser', () => {
  const { open } = useBlankPage('src/runs/indexeddb-store.ts')

  it('returns events in order, with their checkpoints', async () => {
    const { page } = await open()
    const found = await page.evaluate(
      async ([run, first, second]) => {
        const { IndexedDbRunStore } = globalThis as unknown as StoreModule
        const store = await IndexedDbRunStore.open('test')
        await store.create(run)
        await store.append(run.runId, first)
        await store.append(run.runId, second)
        await store.append(run.runId, [])
        for (const number of [1, 2, 3]) {
          const bytes = Uint8Array.of(number)
          const checkpoint = {
            runId: run.runId,
            iteration: number,
            eventCount: 2 * number,
            policy: bytes,
            reward: bytes,
          }
          await store.saveCheckpoint(checkpoint)
        }
        store.close()
        const again = await IndexedDbRunStore.open('test')
        const latest = await again.loadCheckpoint(run.runId)
        return {
          runs: await again.list(),
          events: (await Array.fromAsync(again.readEvents(run.runId))).flat(),
          part: (await Array.fromAsync(again.readEvents(run.runId, 1, 3))).flat(),
          rows: await again.rows(run.runId),
          checkpoint: latest && { iteration: latest.iteration, policy: [...latest.policy] },
          other: await again.loadCheckpoint('another'),
        }
      },
      [summary('a'), iteration(1, 0), iteration(2, 2)] as const,
    )
    expect(found.events).toEqual([...iteration(1, 0), ...iteration(2, 2)])
    expect(found.part.map(({ seq }) => seq)).toEqual([1, 2])
    expect(found.rows).toMatchObject([
      { iteration: 1, firstSeq: 0, endSeq: 2, isFinished: true, values: { 'policy/acc': 1 / 8 } },
      { iteration: 2, firstSeq: 2, endSeq: 4, isFinished: true, values: { 'policy/acc': 2 / 8 } },
    ])
    const checkpoints = [1, 2, 3].map((number) => ({ iteration: number, eventCount: 2 * number, bytes: 2 }))
    expect(found.runs).toMatchObject([{ runId: 'a', finishedIterations: 2, isFinished: false, checkpoints }])
    const packed = await Promise.all([iteration(1, 0), iteration(2, 2)].map((events) => packChunk('a', events)))
    const bytes = packed.reduce((total, chunk) => total + chunkBytes(chunk), 0)
    // A browser packs a little differently from Node.
    expect(found.runs[0]!.logBytes / bytes).toBeCloseTo(1, 1)
    expect(found.checkpoint).toEqual({ iteration: 3, policy: [3] })
    expect(found.other).toBeNull()
  })

  it('resumes from the last checkpoint after the tab closes', async () => {
    const change = (seq: number): LoggedEvent => ({
      type: 'settings-changed',
      patch: { lambda: seq },
      seq,
      iteration: 2,
    })
    const { page } = await open()
    const checkpoint: Omit<RunCheckpoint, 'policy' | 'reward'> = { runId: 'b', iteration: 1, eventCount: 2 }
    await page.evaluate(
      async ([run, events, at]) => {
        const { IndexedDbRunStore } = globalThis as unknown as StoreModule
        const store = await IndexedDbRunStore.open('test')
        await store.create(run)
        await store.append(run.runId, events.slice(0, 2))
        await store.saveCheckpoint({ ...at, policy: Uint8Array.of(7), reward: Uint8Array.of(8) })
        // One more iteration, whose checkpoint was never written.
        await store.append(run.runId, events.slice(2))
      },
      [summary('b'), [...iteration(1, 0), change(2), ...iteration(2, 3), change(5)], checkpoint] as const,
    )
    await page.reload()
    const found = await page.evaluate(async () => {
      const { IndexedDbRunStore } = globalThis as unknown as StoreModule
      const store = await IndexedDbRunStore.open('test')
      const unfinished = await store.summary('b')
      const resumable = await store.prepareResume('b')
      const kept = (await Array.fromAsync(store.readEvents('b'))).flat()
      const again = (await store.prepareResume('b'))?.history
      await store.finish('b')
      return {
        unfinished,
        again,
        history: resumable?.history,
        kept,
        after: await store.summary('b'),
        rows: await store.rows('b'),
      }
    })
    expect(found.unfinished).toMatchObject({ runId: 'b', isFinished: false })
    // A person made the changes, so they come right after the checkpoint.
    const changes = [change(2), { ...change(5), seq: 3 }]
    expect(found.history).toEqual([...iteration(1, 0).map(stateEvent), ...changes])
    expect(found.kept).toEqual([...iteration(1, 0), ...changes])
    expect(found.again).toEqual(found.history)
    expect(found.rows.map((row) => row.iteration)).toEqual([1])
    expect(found.after).toMatchObject({
      isFinished: true,
      changes: [
        { iteration: 2, seq: 2 },
        { iteration: 2, seq: 3 },
      ],
      checkpoints: [{ iteration: 1, eventCount: 4 }],
    })
  })

  it('fills in the default of a setting that an old log lacks', async () => {
    const { page } = await open()
    const { games: _, ...settings } = presetSettings('household')
    const started = { type: 'run-started', runId: 'e', settings, preset: 'household', backend: 'cpu' }
    const models = { policy: 'p', reward: 'r', author: 'a' }
    const found = await page.evaluate(
      async ([run, event]) => {
        const { IndexedDbRunStore } = globalThis as unknown as StoreModule
        const store = await IndexedDbRunStore.open('test')
        await store.create(run)
        await store.append(run.runId, [event])
        const bytes = Uint8Array.of(1)
        await store.saveCheckpoint({ runId: run.runId, iteration: 0, eventCount: 1, policy: bytes, reward: bytes })
        return (await store.prepareResume(run.runId))?.history
      },
      [summary('e'), { ...started, models, seq: 0, iteration: 0 } as LoggedEvent] as const,
    )
    expect(found).toMatchObject([{ type: 'run-started', settings: { ...settings, games: 'compact' } }])
  })

  it('removes a run and keeps the others', async () => {
    const { page } = await open()
    const left = await page.evaluate(
      async ([first, second, events]) => {
        const { IndexedDbRunStore } = globalThis as unknown as StoreModule
        const store = await IndexedDbRunStore.open('test')
        for (const run of [first, second]) {
          await store.create(run)
          await store.append(run.runId, events)
        }
        await store.remove(first.runId)
        const eventsOf = async (runId: string) => (await Array.fromAsync(store.readEvents(runId))).flat()
        return [
          (await store.list()).map((run) => run.runId),
          await eventsOf('c'),
          await eventsOf('d'),
          await store.rows('c'),
        ]
      },
      [summary('c'), summary('d'), iteration(1, 0)] as const,
    )
    expect(left).toEqual([['d'], [], iteration(1, 0), []])
  })

  it('branches at a checkpoint into independent runs', async () => {
    const { page } = await open()
    const started = { type: 'run-started', runId: 'f', settings: presetSettings('household'), preset: 'household' }
    const models = { policy: 'p', reward: 'r', author: 'a' }
    const events = [
      { ...started, backend: 'cpu', models, seq: 0, iteration: 0 } as LoggedEvent,
      ...iteration(1, 1),
      ...iteration(2, 3),
      ...iteration(3, 5),
    ]
    const found = await page.evaluate(
      async ([run, events, more]) => {
        const { IndexedDbRunStore } = globalThis as unknown as StoreModule
        const store = await IndexedDbRunStore.open('test')
        await store.create(run)
        await store.append('f', events)
        const bytes = Uint8Array.of(5)
        for (const [iteration, eventCount] of [
          [2, 5],
          [3, 7],
        ] as const)
          await store.saveCheckpoint({ runId: 'f', iteration, eventCount, policy: bytes, reward: bytes })
        const none = await store.branch('f', 1, { runId: 'h', iterations: 9, patch: {} })
        const patch = { lambda: 2 }
        const replaced = [{ role: 'reward', source: { kind: 'built-in' }, model: 'r' }] as const
        const branch = await store.branch('f', 2, { runId: 'g', iterations: 9, patch, replaced })
        await store.append('g', more)
        await store.remove('f')
        const left = (await Array.fromAsync(store.readEvents('g'))).flat()
        return {
          none,
          branch,
          left,
          rows: await store.rows('g'),
          checkpoint: (await store.loadCheckpoint('g'))?.iteration,
        }
      },
      [summary('f'), events, iteration(3, 7)] as const,
    )
    expect(found.none).toBeNull()
    expect(found.branch).toMatchObject({
      runId: 'g',
      finishedIterations: 2,
      origin: { kind: 'branch', runId: 'f', iteration: 2 },
      changes: [{ iteration: 3, seq: 6, patch: { lambda: 2 } }],
      replacements: [{ iteration: 3, seq: 5, role: 'reward', model: 'r' }],
      checkpoints: [{ iteration: 2, eventCount: 7, bytes: 1 }],
    })
    const begins = [
      { type: 'model-replaced', role: 'reward', model: 'r', seq: 5, iteration: 3 },
      { type: 'settings-changed', patch: { lambda: 2 }, seq: 6, iteration: 3 },
    ]
    expect(found.left).toEqual([{ ...events[0], runId: 'g' }, ...events.slice(1, 5), ...begins, ...iteration(3, 7)])
    expect(found.rows.map((row) => row.iteration)).toEqual([0, 1, 2, 3])
    expect(found.checkpoint).toBe(2)
  })

  it('stores a change of model whole, and an earlier checkpoint keeps the model of then', async () => {
    const { page } = await open()
    const found = await page.evaluate(
      async ([run, events]) => {
        const { IndexedDbRunStore } = globalThis as unknown as StoreModule
        const store = await IndexedDbRunStore.open('test')
        await store.create(run)
        await store.append('s', events)
        const bytes = Uint8Array.of(1)
        const checkpoint = { runId: 's', iteration: 1, eventCount: 2, policy: bytes, reward: bytes }
        await store.saveCheckpoint(checkpoint)
        await store.saveCheckpoint({ ...checkpoint, iteration: 2, eventCount: 4 })
        await store.replaceModel({
          event: { type: 'model-replaced', role: 'reward', model: 'early', seq: 4, iteration: 3 },
          source: { kind: 'built-in', isEarly: true },
          checkpoint: { ...checkpoint, iteration: 2, eventCount: 5, reward: new Uint8Array() },
          keyedServers: [],
        })
        const resumed = await store.prepareResume('s')
        const branch = await store.branch('s', 1, { runId: 'b', iterations: 4, patch: { lambda: 2 } })
        return { resumed, branch }
      },
      [summary('s'), [...iteration(1, 0), ...iteration(2, 2)]] as const,
    )
    expect(found.resumed).toMatchObject({
      summary: {
        models: { reward: { kind: 'built-in', isEarly: true } },
        replacements: [{ iteration: 3, seq: 4, role: 'reward', model: 'early', before: { kind: 'built-in' } }],
        checkpoints: [{ iteration: 1 }, { iteration: 2, eventCount: 5, bytes: 1 }],
      },
      checkpoint: { eventCount: 5 },
    })
    expect(found.resumed?.history.at(-1)).toMatchObject({ type: 'model-replaced', seq: 4 })
    expect(found.branch).toMatchObject({ models: { reward: { kind: 'built-in' } }, replacements: [] })
  })

  it('frees space by deleting log and checkpoints, and keeps the curves', async () => {
    const { page } = await open()
    const found = await page.evaluate(
      async ([run, events]) => {
        const { IndexedDbRunStore } = globalThis as unknown as StoreModule
        const store = await IndexedDbRunStore.open('test')
        await store.create(run)
        await store.append(run.runId, events)
        const bytes = Uint8Array.of(1)
        await store.saveCheckpoint({ runId: run.runId, iteration: 1, eventCount: 2, policy: bytes, reward: bytes })
        await store.evict(run.runId)
        return {
          run: await store.summary(run.runId),
          events: await Array.fromAsync(store.readEvents(run.runId)),
          checkpoint: await store.loadCheckpoint(run.runId),
          rows: await store.rows(run.runId),
        }
      },
      [summary('k'), iteration(1, 0)] as const,
    )
    expect(found).toMatchObject({
      run: { isEvicted: true, logBytes: 0, checkpoints: [] },
      events: [],
      checkpoint: null,
      rows: [{ iteration: 1, values: { 'policy/acc': 1 / 8 } }],
    })
  })

  it('adds numbers and sizes to runs of an earlier version', async () => {
    const { page } = await open()
    const { runId, preset, settings, iterations } = summary('old')
    const { world, importanceCap: _, ...former } = settings
    const old = {
      runId,
      preset,
      settings: { ...former, setting: world },
      iterations,
      finishedIterations: 2,
      isFinished: true,
      createdAt: 1,
      updatedAt: 2,
    }
    const found = await page.evaluate(
      async ([run, first, second]) => {
        await new Promise<void>((resolve, reject) => {
          const opening = indexedDB.open('earlier', 1)
          opening.onerror = () => reject(new Error(String(opening.error)))
          opening.onupgradeneeded = () => {
            const database = opening.result
            database.createObjectStore('runs', { keyPath: 'runId' }).createIndex('updatedAt', 'updatedAt')
            database.createObjectStore('chunks', { keyPath: ['runId', 'firstSeq'] })
            database.createObjectStore('checkpoints', { keyPath: ['runId', 'iteration'] })
          }
          opening.onsuccess = () => {
            const transaction = opening.result.transaction(['runs', 'chunks', 'checkpoints'], 'readwrite')
            transaction.objectStore('runs').put(run)
            transaction.objectStore('chunks').put({ runId: run.runId, firstSeq: 0, events: first })
            transaction.objectStore('chunks').put({ runId: run.runId, firstSeq: 2, events: second })
            const bytes = Uint8Array.of(1)
            const checkpoint = { runId: run.runId, iteration: 2, eventCount: 4, policy: bytes, reward: bytes }
            transaction.objectStore('checkpoints').put(checkpoint)
            transaction.oncomplete = () => {
              opening.result.close()
              resolve()
            }
          }
        })
        const { IndexedDbRunStore } = globalThis as unknown as StoreModule
        const store = await IndexedDbRunStore.open('earlier')
        return { run: await store.summary('old'), rows: await store.rows('old') }
      },
      [old, iteration(1, 0), iteration(2, 2)] as const,
    )
    expect(found.run).toMatchObject({
      ...old,
      settings,
      isPinned: false,
      checkpoints: [{ iteration: 2, eventCount: 4, bytes: 2 }],
    })
    expect(found.run!.logBytes).toBeGreaterThan(100)
    expect(found.rows.map((row) => row.values['policy/acc'])).toEqual([1 / 8, 2 / 8])
  })
})
