import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveSeed, shuffled, uniformStream } from '../../src/method/random.ts'

describe('derived randomness', () => {
  it('gives different seeds for different parts, orders and types of parts', () => {
    const seeds = [
      deriveSeed(1, 23),
      deriveSeed(12, 3),
      deriveSeed('1', 23),
      deriveSeed(23, 1),
      deriveSeed(1),
      deriveSeed(1, 'judge'),
    ]
    expect(new Set(seeds).size).toBe(seeds.length)
    expect(deriveSeed(7, 3, 'rollout', 'a')).toBe(deriveSeed(7, 3, 'rollout', 'a'))
  })

  it('rarely collides over the ids of a run', () => {
    const seeds = new Set(
      Array.from({ length: 20_000 }, (_, index) => deriveSeed(7, index % 100, 'rollout', `task-${index}`)),
    )
    expect(seeds.size).toBeGreaterThan(19_990)
  })

  it('is uniform: mean 1/2, variance 1/12, every tenth equally often', () => {
    const uniform = uniformStream(3)
    const values = Array.from({ length: 50_000 }, uniform)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
    expect(mean).toBeCloseTo(0.5, 2)
    expect(variance).toBeCloseTo(1 / 12, 2)
    for (let tenth = 0; tenth < 10; tenth++) {
      const share = values.filter((value) => Math.floor(value * 10) === tenth).length / values.length
      expect(Math.abs(share - 0.1)).toBeLessThan(0.01)
    }
  })

  it('shuffles a copy, the same for the same seed', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 0 }), (items, seed) => {
        const before = [...items]
        expect(shuffled(items, seed)).toEqual(shuffled(items, seed))
        expect(shuffled(items, seed).toSorted()).toEqual(items.toSorted())
        expect(items).toEqual(before)
      }),
    )
  })
})
