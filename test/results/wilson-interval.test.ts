import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wilsonInterval } from '../../src/results/wilson-interval.ts'

it('agrees with published values', () => {
  // Newcombe 1998, Statistics in Medicine 17, table I, method 3.
  const rows = [[81, 263, 0.2553, 0.3662], [15, 148, 0.0624, 0.1605], [0, 20, 0, 0.1611], [1, 29, 0.0061, 0.1718]] as const // prettier-ignore
  for (const [won, played, low, high] of rows) {
    const interval = wilsonInterval(won, played)!
    expect(interval[0]).toBeCloseTo(low, 4)
    expect(interval[1]).toBeCloseTo(high, 4)
  }
})

it('contains the share, stays within 0 and 1, and is mirrored when wins and losses change places', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), (won, lost) => {
      fc.pre(won + lost > 0)
      const [low, high] = wilsonInterval(won, won + lost)!
      const [lowLost, highLost] = wilsonInterval(lost, won + lost)!
      const share = won / (won + lost)
      expect(low).toBeGreaterThanOrEqual(0)
      expect(high).toBeLessThanOrEqual(1)
      expect(low - 1e-12 <= share && share <= high + 1e-12).toBe(true)
      expect(low).toBeCloseTo(1 - highLost, 12)
      expect(high).toBeCloseTo(1 - lowLost, 12)
    }),
  )
})

it('is unknown without attempts', () => expect(wilsonInterval(0, 0)).toBeNull())
