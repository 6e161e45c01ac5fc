import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agreementCurve, boundCurve, theoryNumbers } from '../../src/playground/panels/theory-curves.ts'

const input = fc.record({
  pPlus: fc.double({ min: 0, max: 1, noNaN: true }),
  pMinus: fc.double({ min: 0, max: 1, noNaN: true }),
  accuracy: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
  evaluations: fc.integer({ min: 1, max: 32 }),
  isShared: fc.boolean(),
})

describe('the theory panel', () => {
  it('teaches μ − 1 at one half, and both ends of the curve are one kind of vote alone', () => {
    fc.assert(
      fc.property(input, (at) => {
        const curve = agreementCurve(at)
        expect(curve[10]!.y).toBeCloseTo(at.pPlus + at.pMinus - 1)
        expect(curve[0]!.y).toBeCloseTo(2 * at.pMinus - 1)
        expect(curve.at(-1)!.y).toBeCloseTo(2 * at.pPlus - 1)
      }),
    )
  })

  it('names the least m that the bound promises 95 % for', () => {
    fc.assert(
      fc.property(input, (at) => {
        const { evaluationsFor95: m, mu } = theoryNumbers(at)
        expect(m === null).toBe(mu <= 1)
        if (m === null || mu < 1.01) return
        expect(theoryNumbers({ ...at, evaluations: m }).bound).toBeGreaterThanOrEqual(0.95 - 1e-9)
        if (m > 1) expect(theoryNumbers({ ...at, evaluations: m - 1 }).bound).toBeLessThan(0.95 + 1e-9)
      }),
    )
  })

  it('promises more with more votes, and nothing at μ ≤ 1', () => {
    fc.assert(
      fc.property(input, (at) => {
        const values = boundCurve(at).map(({ y }) => y)
        expect(values).toEqual(values.toSorted((a, b) => a - b))
        if (at.pPlus + at.pMinus <= 1) expect(Math.max(...values)).toBe(0)
      }),
    )
  })

  it('writes the balance as a ratio', () => {
    const balance = (accuracy: number) =>
      theoryNumbers({ pPlus: 0.7, pMinus: 0.7, accuracy, evaluations: 3, isShared: false }).balance
    expect([balance(0.2), balance(0.5), balance(0.8), balance(0), balance(1)]).toEqual([
      '1 : 4', '1 : 1', '4 : 1', 'p₋ alone', 'p₊ alone',
    ]) // prettier-ignore
  })
})
