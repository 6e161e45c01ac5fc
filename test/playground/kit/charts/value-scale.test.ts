import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { valueScale, valuesSeen } from '../../../../src/playground/kit/charts/value-scale.ts'

const whole = { prefersLog: false, isWhole: true }
const part = { prefersLog: false, isWhole: false }

describe('the y axis', () => {
  it('is always 0 to 1 for shares', () => {
    expect(valueScale({ unit: 'share' }, [0.4, 0.41], part).domain).toEqual([0, 1])
  })

  it('covers the shown values, and in a range only those', () => {
    const points = Array.from({ length: 50 }, (_, x) => ({ x, y: x * x }))
    const seen = valuesSeen(points, { from: 10, to: 12 })
    expect(seen).toEqual([100, 121, 144])
    expect(valueScale({ unit: 'number' }, seen, part).domain).toEqual([100, 160])
    expect(valueScale({ unit: 'count' }, [1, 2], whole).domain).toEqual([0, 4])
    expect(valueScale({ unit: 'count' }, [21, 22], part).domain).toEqual([21, 22])
  })

  it('includes the reference line only when the whole run is shown', () => {
    const chart = { unit: 'number', reference: { value: 1, name: '' } } as const
    expect(valueScale(chart, [1.4, 1.6], whole).domain[0]).toBe(1)
    expect(valueScale(chart, [1.4, 1.6], part).domain[0]).toBeCloseTo(1.4)
  })

  it('uses the neighbouring points if a line crosses the range without a point in it', () => {
    expect(valuesSeen([{ x: 1, y: 5 }, { x: 9, y: 7 }], { from: 3, to: 4 })).toEqual([5, 7]) // prettier-ignore
  })

  it('is logarithmic only if everything on it has a logarithm', () => {
    const log = { prefersLog: true, isWhole: true }
    expect(valueScale({ unit: 'number' }, [0.01, 10], log)).toMatchObject({ isLog: true, domain: [0.01, 10] })
    expect(valueScale({ unit: 'number' }, [0, 10], log).isLog).toBe(false)
    expect(valueScale({ unit: 'number', reference: { value: 0, name: '' } }, [1, 10], log).isLog).toBe(false)
    expect(valueScale({ unit: 'share' }, [0.1, 0.9], log).isLog).toBe(false)
    expect(valueScale({ unit: 'number' }, [], log).isLog).toBe(false)
  })

  it('contains every tick and every value', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), fc.boolean(), fc.boolean(), (values, prefersLog, isWhole) => {
        const { domain, ticks } = valueScale({ unit: 'number' }, values, { prefersLog, isWhole })
        const slack = 1e-9 * Math.max(1, ...values.map(Math.abs))
        for (const each of [...values, ...ticks]) {
          expect(each).toBeGreaterThanOrEqual(domain[0] - slack)
          expect(each).toBeLessThanOrEqual(domain[1] + slack)
        }
      }),
    )
  })
})
