import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settingDomain } from '../../../../src/method/settings.ts'
import { summariseFunctions } from '../../../../src/playground/kit/charts/functions.ts'
import {
  agreementCurve,
  boundCurve,
  MOST_EVALUATIONS,
  MOST_LAMBDA,
  theoryCharts,
  theoryNumbers,
} from '../../../../src/playground/views/learn/theory.ts'

const input = fc.record({
  pPlus: fc.double({ min: 0, max: 1, noNaN: true }),
  pMinus: fc.double({ min: 0, max: 1, noNaN: true }),
  accuracy: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
  evaluations: fc.integer({ min: 1, max: 32 }),
  lambda: fc.double({ min: 0, max: MOST_LAMBDA, noNaN: true }),
  isShared: fc.boolean(),
})

describe('the theory', () => {
  it('has room for the votes and the λ of any run', () => {
    const most = (name: 'evaluationsPerStep' | 'lambda') => settingDomain(name) as { max: number }
    expect(MOST_LAMBDA).toBeGreaterThanOrEqual(most('lambda').max)
    expect(MOST_EVALUATIONS).toBeGreaterThanOrEqual(most('evaluationsPerStep').max)
  })

  it('gives a training signal of μ − 1 at one half, and only one kind of vote at either end', () => {
    fc.assert(
      fc.property(input, (at) => {
        const curve = agreementCurve(at)
        expect(curve[10]!.y).toBeCloseTo(at.pPlus + at.pMinus - 1)
        expect(curve[0]!.y).toBeCloseTo(2 * at.pMinus - 1)
        expect(curve.at(-1)!.y).toBeCloseTo(2 * at.pPlus - 1)
      }),
    )
  })

  it('finds the least m with a bound of 95 %', () => {
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

  it('has a higher bound with more votes, and none at μ ≤ 1', () => {
    fc.assert(
      fc.property(input, (at) => {
        const values = boundCurve(at).map(({ y }) => y)
        expect(values).toEqual(values.toSorted((a, b) => a - b))
        if (at.pPlus + at.pMinus <= 1) expect(Math.max(...values)).toBe(0)
      }),
    )
  })

  it('pays a constant vote the whole of λ, so that on hard tasks collapsing earns more than a good judge', () => {
    const at = (accuracy: number, lambda: number) => {
      const { agreement, selfConsistency, constant } = theoryNumbers({ pPlus: 0.8, pMinus: 0.8, accuracy, evaluations: 3, lambda, isShared: false }) // prettier-ignore
      return { judging: agreement + selfConsistency, constant }
    }
    expect(at(0.5, 0).judging).toBeGreaterThan(at(0.5, 0).constant.feedback)
    expect(at(0.1, 0).judging).toBeLessThan(at(0.1, 0).constant.feedback)
    expect(at(0.5, 4).judging).toBeLessThan(at(0.5, 4).constant.feedback)
    expect([at(0.1, 1).constant.vote, at(0.9, 1).constant.vote]).toEqual([-1, 1])
    fc.assert(
      fc.property(input, (values) => {
        const { selfConsistency, constant } = theoryNumbers(values)
        expect(selfConsistency).toBeLessThanOrEqual(values.lambda + 1e-12)
        expect(selfConsistency).toBeGreaterThanOrEqual(values.lambda / values.evaluations - 1e-12)
        expect(constant.feedback).toBeGreaterThanOrEqual(values.lambda)
      }),
    )
  })

  it('writes the balance as a ratio', () => {
    const balance = (accuracy: number) =>
      theoryNumbers({ pPlus: 0.7, pMinus: 0.7, accuracy, evaluations: 3, lambda: 1, isShared: false }).balance
    expect([balance(0.2), balance(0.5), balance(0.8), balance(0), balance(1)]).toEqual([
      '1 : 4', '1 : 1', '4 : 1', 'p₋ alone', 'p₊ alone',
    ]) // prettier-ignore
  })
})

describe('the charts of the theory', () => {
  const here = { pPlus: 0.8, pMinus: 0.6, accuracy: 0.5, evaluations: 3, lambda: 1, isShared: false }
  const run = { pPlus: 0.9, pMinus: 0.5, accuracy: 0.25, evaluations: 64, lambda: 1, isShared: false, iteration: 7 }

  it('have each mark on its curve, within the axes', () => {
    fc.assert(
      fc.property(input, input, (at, ofRun) => {
        for (const { curves, marks, x, y } of theoryCharts(at, { ...ofRun, iteration: 3 })) {
          for (const mark of marks) {
            const { points } = curves.find(({ name }) => name === mark.name)!
            const before = points.findLast((point) => point.x <= mark.x + 1e-9)!
            const after = points.find((point) => point.x >= mark.x - 1e-9)!
            expect(mark.y).toBeGreaterThanOrEqual(Math.min(before.y, after.y) - 1e-6)
            expect(mark.y).toBeLessThanOrEqual(Math.max(before.y, after.y) + 1e-6)
          }
          for (const { x: left, y: value } of curves.flatMap(({ points }) => points)) {
            expect(left).toBeGreaterThanOrEqual(x.domain[0])
            expect(left).toBeLessThanOrEqual(x.domain[1])
            expect(value).toBeGreaterThanOrEqual(y.domain[0] - 1e-9)
            expect(value).toBeLessThanOrEqual(y.domain[1] + 1e-9)
          }
        }
      }),
    )
  })

  it('are summarised in words, with the run beside the sliders', () => {
    const [bound, agreement, feedback] = theoryCharts(here, run)
    expect(summariseFunctions(bound!)).toBe(
      'The bound over m. Over m, votes: here 15 % at 1, 38 % at 3, 99 % at 32; iteration 7 15 % at 1, 99 % at 32.',
    )
    expect(summariseFunctions(agreement!)).toBe(
      'E[O·S] over accuracy. Over a, accuracy of a task: here 0.2 at 0, 0.4 at 0.5, 0.6 at 1; iteration 7 0 at 0, 0.2 at 0.25, 0.8 at 1; μ − 1 is 0.4; shaded from 0.2 to 0.8.',
    )
    expect(summariseFunctions(feedback!)).toMatch(
      /^Judging or collapsing: E\[R·S\] over accuracy\. Over a, accuracy of a task: here .*; always −1 2 at 0, 0 at 1; always \+1 0 at 0, 2 at 1\.$/,
    )
    expect(theoryCharts(here, null).map(({ curves }) => curves.length)).toEqual([1, 1, 3])
  })
})
