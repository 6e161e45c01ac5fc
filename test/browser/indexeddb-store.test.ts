/** The store of runs against a real IndexedDB; its sources are served as they are, without a build. */
import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { presetSettings } from '../../src/method/settings.ts'
import type { RunCheckpoint, RunSummary } from '../../src/runs/run-store.ts'
import { useBlankPage } from './blank-page.ts'

/** The page has the module's exports as globals. */
type StoreModule = typeof import('../../src/runs/indexeddb-store.ts')

function iteration(number: number, firstSeq: number): LoggedEvent[] {
  return [
    { type: 'iteration-started', taskIds: ['t'], pendingTaskIds: [], seq: firstSeq, iteration: number },
    { type: 'iteration-finished', metrics: { 'policy/acc': number / 8 }, seq: firstSeq + 1, iteration: number },
  ]
}

function summary(runId: string): RunSummary {
  const base = { runId, preset: 'household', settings: presetSettings('household'), iterations: 9 }
  return { ...base, finishedIterations: 0, isFinished: false, createdAt: 1, updatedAt: 1 }
}

describe('runs kept in the browser', () => {
  const { open } = useBlankPage('src/runs/indexeddb-store.ts')

  it('come back in order, with the two latest checkpoints kept', async () => {
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
          events: await again.loadEvents(run.runId),
          checkpoint: latest && { iteration: latest.iteration, policy: [...latest.policy] },
          other: await again.loadCheckpoint('another'),
        }
      },
      [summary('a'), iteration(1, 0), iteration(2, 2)] as const,
    )
    expect(found.events).toEqual([...iteration(1, 0), ...iteration(2, 2)])
    expect(found.runs).toMatchObject([{ runId: 'a', finishedIterations: 2, isFinished: false }])
    expect(found.checkpoint).toEqual({ iteration: 3, policy: [3] })
    expect(found.other).toBeNull()
  })

  it('go on at the last checkpoint after the tab was closed', async () => {
    const { page } = await open()
    const checkpoint: Omit<RunCheckpoint, 'policy' | 'reward'> = { runId: 'b', iteration: 1, eventCount: 2 }
    await page.evaluate(
      async ([run, events, at]) => {
        const { IndexedDbRunStore } = globalThis as unknown as StoreModule
        const store = await IndexedDbRunStore.open('test')
        await store.create(run)
        await store.append(run.runId, events.slice(0, 2))
        await store.saveCheckpoint({ ...at, policy: Uint8Array.of(7), reward: Uint8Array.of(8) })
        // One iteration more, whose checkpoint was never written.
        await store.append(run.runId, events.slice(2))
      },
      [summary('b'), [...iteration(1, 0), ...iteration(2, 2)], checkpoint] as const,
    )
    await page.reload()
    const found = await page.evaluate(async () => {
      const { IndexedDbRunStore } = globalThis as unknown as StoreModule
      const store = await IndexedDbRunStore.open('test')
      const unfinished = await store.lastUnfinished()
      const resumable = unfinished && (await store.prepareResume(unfinished.runId))
      const kept = await store.loadEvents('b')
      await store.finish('b')
      return { unfinished, history: resumable?.history, kept, after: await store.lastUnfinished() }
    })
    expect(found.unfinished).toMatchObject({ runId: 'b' })
    expect(found.history).toEqual(iteration(1, 0))
    expect(found.kept).toEqual(iteration(1, 0))
    expect(found.after).toBeNull()
  })

  it('of before a setting existed come back with its default', async () => {
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

  it('are gone when they are removed, and others stay', async () => {
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
        return [(await store.list()).map((run) => run.runId), await store.loadEvents('c'), await store.loadEvents('d')]
      },
      [summary('c'), summary('d'), iteration(1, 0)] as const,
    )
    expect(left).toEqual([['d'], [], iteration(1, 0)])
  })
})
