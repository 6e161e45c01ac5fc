import { describe, expect, it } from 'vitest'
import { pairedDifference, summary } from '../../src/results/paired-difference.ts'

describe('a paired difference', () => {
  it("matches Student's sleep data: 1.58 (0.70 to 2.46)", () => {
    // Student, The probable error of a mean, Biometrika 6 (1908), p. 20.
    const first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]
    const second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    const { mean, low, high, n } = pairedDifference(second, first)!
    expect(mean).toBeCloseTo(1.58, 10)
    expect(low).toBeCloseTo(0.7001142, 3)
    expect(high).toBeCloseTo(2.4598858, 3)
    expect(n).toBe(10)
  })

  it('has no interval for a single seed, and none at all without pairs', () => {
    expect(pairedDifference([0.75], [0.5])).toEqual({ mean: 0.25, low: null, high: null, n: 1 })
    expect(pairedDifference([0.75, null], [null, 0.5])).toBeNull()
    expect(summary([])).toBeNull()
  })

  it('pairs by seed, leaving out seeds that miss a value', () => {
    const difference = pairedDifference([0.5, null, 0.7], [0.4, 0.1, 0.4])!
    expect(difference.n).toBe(2)
    expect(difference.mean).toBeCloseTo(0.2, 12)
  })
})
