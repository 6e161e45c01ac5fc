import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growthExponent } from '../../src/bench/growth.ts'

const sizes = fc.uniqueArray(fc.integer({ min: 1, max: 4096 }), { minLength: 2, maxLength: 8 })

describe('growthExponent', () => {
  it('is the exponent of a power law, whatever its factor', () => {
    fc.assert(
      fc.property(
        sizes,
        fc.double({ min: -2, max: 3, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        (at, exponent, factor) => {
          const points = at.map((size) => ({ size, cost: factor * size ** exponent }))
          expect(growthExponent(points)).toBeCloseTo(exponent, 6)
        },
      ),
    )
  })

  it('is the slope that minimises the squared error of logarithms', () => {
    const points = [
      { size: 1, cost: 1.2 },
      { size: 2, cost: 1.7 },
      { size: 4, cost: 4.4 },
      { size: 8, cost: 7.1 },
    ]
    const slope = growthExponent(points)
    const error = (b: number) => {
      const rest = points.map(({ size, cost }) => Math.log(cost) - b * Math.log(size))
      const mean = rest.reduce((sum, value) => sum + value, 0) / rest.length
      return rest.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    }
    expect(error(slope)).toBeLessThan(error(slope + 0.001))
    expect(error(slope)).toBeLessThan(error(slope - 0.001))
  })

  it('refuses data without growth to fit', () => {
    expect(() => growthExponent([{ size: 2, cost: 1 }])).toThrow(/two or more/)
    const twice = { size: 2, cost: 1 }
    expect(() => growthExponent([twice, twice])).toThrow(/two or more/)
    expect(() => growthExponent([twice, { size: 4, cost: 0 }])).toThrow(RangeError)
  })
})
