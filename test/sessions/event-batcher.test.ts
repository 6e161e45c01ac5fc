import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RunEvent } from '../../src/method/events.ts'
import { EventBatcher } from '../../src/sessions/event-batcher.ts'

const event = (done: number): RunEvent => ({ type: 'progress', phase: 'rollout', done, total: 9, iteration: 1 })

describe('batches of events', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('arrive at once after a pause, and then at most every 50 ms', () => {
    const batches: number[] = []
    const batcher = new EventBatcher((batch) => batches.push(batch.length))
    for (let i = 0; i < 4; i++) batcher.push(event(i))
    expect(batches).toEqual([1])
    vi.advanceTimersByTime(49)
    expect(batches).toEqual([1])
    vi.advanceTimersByTime(1)
    expect(batches).toEqual([1, 3])
    batcher.push(event(5))
    expect(batches).toEqual([1, 3])
    vi.advanceTimersByTime(200)
    batcher.push(event(6))
    expect(batches).toEqual([1, 3, 1, 1])
  })

  it('arrive early when flushed, and never twice', () => {
    const seen: RunEvent[] = []
    const batcher = new EventBatcher((batch) => seen.push(...batch))
    for (let i = 0; i < 3; i++) batcher.push(event(i))
    batcher.flush()
    batcher.flush()
    vi.advanceTimersByTime(500)
    expect(seen).toEqual([0, 1, 2].map(event))
  })
})
