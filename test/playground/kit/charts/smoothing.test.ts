import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { smoothed } from '../../../../src/playground/kit/charts/smoothing.ts'

describe('a smoothed curve', () => {
  const points = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 40 })

  it('is the weighted mean of all values so far, the last weighing most', () => {
    fc.assert(
      fc.property(points, fc.double({ min: 0, max: 0.95, noNaN: true }), (ys, weight) => {
        const curve = smoothed(
          ys.map((y, x) => ({ x, y })),
          weight,
        )
        ys.forEach((_, t) => {
          const weights = ys.slice(0, t + 1).map((__, i) => weight ** (t - i))
          const total = weights.reduce((a, b) => a + b, 0)
          const mean = ys.slice(0, t + 1).reduce((sum, y, i) => sum + y * weights[i]!, 0) / total
          expect(curve[t]!.y).toBeCloseTo(mean, 6)
        })
      }),
    )
  })
})
