import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { SessionLog } from '../../src/sessions/session-log.ts'
import { MemoryStore } from '../runs/memory-store.ts'

const eventAt = (seq: number): LoggedEvent => ({ type: 'iteration-finished', metrics: {}, seq, iteration: seq + 1 })

/** Counts the events of each try; takes none while it is full. */
class CountingStore extends MemoryStore {
  readonly tries: number[] = []
  isFull = false

  override async append(runId: string, events: readonly LoggedEvent[]): Promise<void> {
    this.tries.push(events.length)
    if (this.isFull) throw new Error('no space')
    await super.append(runId, events)
  }
}

describe('the log of a session', () => {
  it('tries one chunk at a time while the store is full, and stores all in order once it is not', async () => {
    const store = new CountingStore()
    const failures: unknown[] = []
    const log = new SessionLog('a', { store, onStoreFailure: (error) => failures.push(error) })
    const add = async (count: number) => {
      for (let i = 0; i < count; i++) {
        log.add(eventAt(log.events.length))
        await log.flushChunk()
      }
    }
    store.isFull = true
    await add(256 * 4)
    expect(store.tries).toEqual([256, 256, 256, 256])
    expect(failures).toHaveLength(4)
    expect(log.storedCount).toBe(0)
    store.isFull = false
    await add(10)
    await log.flush()
    expect(store.tries.slice(4)).toEqual([256, 256, 256, 256, 10])
    expect(log.isStored).toBe(true)
    expect(store.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 256 * 4 + 10 }, (_, seq) => seq))
  })

  it('keeps what was stored before a chunk failed', async () => {
    const store = new CountingStore()
    const log = new SessionLog('a', { store, onStoreFailure: () => {} })
    for (let seq = 0; seq < 600; seq++) log.add(eventAt(seq))
    const append = store.append.bind(store)
    store.append = (runId, events) => {
      store.isFull = store.tries.length === 1
      return append(runId, events)
    }
    await log.flush()
    expect(log.storedCount).toBe(256)
    await log.flush()
    expect(store.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 600 }, (_, seq) => seq))
  })
})
