import { describe, expect, it } from 'vitest'
import { progressLine, secondsLeft, type RunProgress } from '../../../../src/cli/experiments/paper/progress.ts'

const progress = (state: RunProgress['state'], cost = 10, share = 0, seconds = 0): RunProgress => {
  return { state, cost, share, seconds }
}

describe('the time left', () => {
  it('is unknown before any work was done, and does not count what was kept', () => {
    expect(secondsLeft([progress('kept', 10, 1), progress('waiting')], 2)).toBeNull()
    expect(progressLine([progress('kept', 10, 1), progress('waiting')], 2)).toBe('1 of 2 runs, 0 running')
  })

  it('follows the pace of the work so far, spread over the runs at once', () => {
    const runs = [
      progress('finished', 10, 1, 100),
      progress('running', 20, 0.5, 100),
      ...Array.from({ length: 9 }, () => progress('waiting')),
    ]
    // 20 of work took 200 s; 10 + 90 are left.
    expect(secondsLeft(runs, 1)).toBe(1000)
    expect(secondsLeft(runs, 2)).toBe(500)
    expect(progressLine(runs, 2)).toBe('1 of 11 runs, 1 running, about 8 minutes left')
  })

  it('is at least that of the longest run, which uses one core', () => {
    const runs = [progress('finished', 10, 1, 100), progress('waiting', 10), progress('waiting', 100)]
    expect(secondsLeft(runs, 8)).toBe(1000)
  })
})
