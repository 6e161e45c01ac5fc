import { describe, expect, it } from 'vitest'
import { meanInterval, studentT } from '../../src/results/student-t.ts'

describe('the interval of a mean', () => {
  it('matches the textbook: 4.2, 4.6, 4.9, 5.3 have 4.75 ± 0.7406', () => {
    const { mean, low, high } = meanInterval([4.2, 4.6, 4.9, 5.3])!
    expect(mean).toBeCloseTo(4.75, 10)
    // s = 0.465475, t(0.975, 3) = 3.182446.
    expect(high - mean).toBeCloseTo((3.182446 * 0.465475) / 2, 3)
    expect(mean - low).toBeCloseTo(high - mean, 10)
    expect(meanInterval([1])).toBeNull()
  })

  it('has the quantiles of published tables, also beyond thirty degrees', () => {
    for (const [degrees, t] of [
      [1, 12.706],
      [4, 2.776],
      [30, 2.042],
      [40, 2.0211],
      [60, 2.0003],
      [120, 1.9799],
    ] as const)
      expect(studentT(degrees)).toBeCloseTo(t, 3)
  })

  it('covers the true mean of normal seeds about 95 times in 100', () => {
    let state = 7
    const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
    let covered = 0
    for (let i = 0; i < 4000; i++) {
      const { low, high } = meanInterval(Array.from({ length: 5 }, () => 3 + normal()))!
      if (low <= 3 && 3 <= high) covered++
    }
    expect(covered / 4000).toBeGreaterThan(0.935)
    expect(covered / 4000).toBeLessThan(0.965)
  })
})
