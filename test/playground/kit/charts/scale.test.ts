import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  linear,
  linePath,
  logarithmic,
  logTicks,
  roundDomain,
  ticks,
} from '../../../../src/playground/kit/charts/scale.ts'

const real = fc.double({ min: -1e6, max: 1e6, noNaN: true })

describe('scales and ticks', () => {
  it('have round ticks in their domain', () => {
    fc.assert(
      fc.property(
        real,
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        fc.integer({ min: 1, max: 12 }),
        (low, span, count) => {
          const found = ticks([low, low + span], count)
          for (const tick of found) {
            expect(tick).toBeGreaterThanOrEqual(low - span * 1e-6)
            expect(tick).toBeLessThanOrEqual(low + span * (1 + 1e-6))
          }
          expect(found.length).toBeLessThanOrEqual(count + 1)
        },
      ),
    )
  })

  it('cover every value', () => {
    fc.assert(
      fc.property(fc.array(real, { minLength: 1, maxLength: 30 }), (values) => {
        const [low, high] = roundDomain(values)
        const slack = Math.max(1, ...values.map(Math.abs)) * 1e-9
        expect(low).toBeLessThanOrEqual(Math.min(...values) + slack)
        expect(high).toBeGreaterThanOrEqual(Math.max(...values) - slack)
        expect(high).toBeGreaterThan(low)
      }),
    )
  })

  it('keep the spike of a dense series', () => {
    const points = Array.from({ length: 5000 }, (_, x) => ({ x, y: x === 2500 ? 1 : 0 }))
    const path = linePath(points, linear([0, 4999], [0, 200]), linear([0, 1], [100, 0]))
    expect(path).toContain(' 0.0')
    expect(path.split('L').length).toBeLessThan(500)
  })

  it('put equal ratios at equal distances on a logarithmic scale', () => {
    const scale = logarithmic([0.01, 100], [0, 400])
    expect([0.01, 0.1, 1, 10, 100].map((value) => Math.round(scale.at(value)))).toEqual([0, 100, 200, 300, 400])
    expect(scale.at(0)).toBe(0)
    expect(linear([0, 1], [0, 10]).at(0.5)).toBe(5)
    expect(logTicks([0.02, 300]).map((tick) => Number(tick.toPrecision(3)))).toEqual([0.1, 1, 10, 100])
    expect(logTicks([2, 3])).toEqual([2, 3])
  })
})
