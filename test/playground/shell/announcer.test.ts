import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Announcer } from '../../../src/playground/shell/announcer.svelte.ts'

describe('what a screen reader hears of a run', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  /** What was said in a minute of an iteration a second. */
  function minute(announcer: Announcer): string[] {
    const heard: string[] = []
    for (let second = 1; second <= 60; second++) {
      announcer.announce(`Running, iteration ${second}`, 'running')
      if (announcer.said !== heard.at(-1)) heard.push(announcer.said)
      vi.advanceTimersByTime(1000)
      if (announcer.said !== heard.at(-1)) heard.push(announcer.said)
    }
    return heard
  }

  it('is rare and up to date', () => {
    expect(minute(new Announcer(30_000))).toEqual([1, 30, 60].map((i) => `Running, iteration ${i}`))
  })

  it('is a new topic at once, and no old news after it', () => {
    const announcer = new Announcer(30_000)
    announcer.announce('Running, iteration 1', 'running')
    announcer.announce('Running, iteration 2', 'running')
    announcer.announce('Paused')
    expect(announcer.said).toBe('Paused')
    vi.advanceTimersByTime(120_000)
    expect(announcer.said).toBe('Paused')
    announcer.announce('Running, iteration 3', 'running')
    expect(announcer.said).toBe('Running, iteration 3')
  })

  it('comes at once after a long silence, and never after closing', () => {
    const announcer = new Announcer(30_000)
    announcer.announce('Running, iteration 1', 'running')
    vi.advanceTimersByTime(31_000)
    announcer.announce('Running, iteration 2', 'running')
    expect(announcer.said).toBe('Running, iteration 2')
    announcer.announce('Running, iteration 3', 'running')
    announcer.close()
    vi.advanceTimersByTime(60_000)
    expect(announcer.said).toBe('Running, iteration 2')
  })
})
