import { describe, expect, it } from 'vitest'
import { seedIntervals } from '../../../src/playground/run/seed-interval.ts'

describe('the interval of a mean over seeds', () => {
  it('exists only where every seed has a value', () => {
    const points = (...xs: number[]) => xs.map((x) => ({ x, y: x }))
    expect(seedIntervals([points(1, 2, 3), points(2, 3, 4)]).map(({ x }) => x)).toEqual([2, 3])
  })
})
