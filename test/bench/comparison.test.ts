import { describe, expect, it } from 'vitest'
import { largestDifference, relativeDifference } from '../../src/bench/comparison.ts'

describe('comparing outputs', () => {
  it('is relative to the size of the expected values', () => {
    expect(relativeDifference(Float32Array.of(3, 4.5), Float32Array.of(3, 4))).toBeCloseTo(0.1)
    expect(relativeDifference(Float32Array.of(0, 0), Float32Array.of(0, 0))).toBe(0)
  })

  it('is infinite for NaN, other lengths, and numbers where zeros are expected', () => {
    expect(relativeDifference(Float32Array.of(Number.NaN), Float32Array.of(1))).toBe(Infinity)
    expect(relativeDifference(Float32Array.of(1), Float32Array.of(1, 0))).toBe(Infinity)
    expect(relativeDifference(Float32Array.of(1), Float32Array.of(0))).toBe(Infinity)
  })

  it('names the array with the largest difference, or one that a side lacks', () => {
    const ours = new Map([
      ['near', Float32Array.of(1)],
      ['far', Float32Array.of(2)],
    ])
    const theirs = new Map([
      ['near', Float32Array.of(1.01)],
      ['far', Float32Array.of(1)],
    ])
    expect(largestDifference(ours, theirs)).toEqual({ name: 'far', difference: 1 })
    expect(largestDifference(ours, new Map([['near', Float32Array.of(1)]]))).toEqual({
      name: 'far',
      difference: Infinity,
    })
  })
})
