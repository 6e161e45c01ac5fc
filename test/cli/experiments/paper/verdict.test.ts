import { describe, expect, it } from 'vitest'
import { verdictOf } from '../../../../src/cli/experiments/paper/verdict.ts'

describe('the verdict on a claim', () => {
  const between = (low: number, high: number) => ({ mean: (low + high) / 2, low, high, n: 8 })

  it('holds only where the interval excludes zero', () => {
    expect(verdictOf(between(0.01, 0.05))).toBe('holds')
    expect(verdictOf(between(-0.01, 0.05))).toBe('not decided')
    expect(verdictOf(between(-0.05, -0.01))).toBe('does not hold')
    // Two arms that are exactly equal.
    expect(verdictOf(between(0, 0))).toBe('does not hold')
  })

  it('also needs the gain that the claim states', () => {
    expect(verdictOf(between(0.14, 0.2), 0.15)).toBe('holds')
    expect(verdictOf(between(0.05, 0.2), 0.15)).toBe('not decided')
    expect(verdictOf(between(0.05, 0.14), 0.15)).toBe('does not hold')
    expect(verdictOf(between(-0.01, 0.4), 0.15)).toBe('not decided')
  })

  it('allows a tolerated loss', () => {
    expect(verdictOf(between(-0.04, 0.01), -0.05)).toBe('holds')
    expect(verdictOf(between(-0.06, 0.01), -0.05)).toBe('not decided')
    expect(verdictOf(between(-0.2, -0.06), -0.05)).toBe('does not hold')
  })

  it('is open for one seed and for nothing', () => {
    expect(verdictOf({ mean: 1, low: null, high: null, n: 1 })).toBe('not decided')
    expect(verdictOf(null)).toBe('not measured')
  })
})
