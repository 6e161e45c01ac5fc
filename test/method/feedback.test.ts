import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { consistencyFeedback, integratedFeedback, meanScore } from '../../src/method/feedback.ts'
import type { Outcome, Score } from '../../src/method/ports.ts'

const paper = { profile: 'paper', signal: 'integrated', lambda: 1 } as const
const reference = { ...paper, profile: 'reference' } as const
const outcome = fc.constantFrom<Outcome>(1, -1)
const scores = fc.array(fc.constantFrom<Score>(1, -1, 0), { minLength: 1, maxLength: 9 })
const lambda = fc.double({ min: 0, max: 10, noNaN: true })

describe('integrated feedback', () => {
  it('is O + λ · mean S', () => {
    expect(integratedFeedback(1, [1, 1, -1], paper)).toBeCloseTo(4 / 3, 12)
    expect(integratedFeedback(-1, [1, 1, -1], { ...paper, lambda: 3 })).toBeCloseTo(0, 12)
  })

  it('ignores an unparsable vote, or counts it as 0 like the released code', () => {
    expect(meanScore([1, 1, 0], 'paper')).toBe(1)
    expect(meanScore([1, 1, 0], 'reference')).toBeCloseTo(2 / 3, 12)
    expect(meanScore([0, 0, 0], 'paper')).toBe(0)
    expect(meanScore([], 'reference')).toBe(0)
  })

  it('is the outcome alone when λ is 0 or the signal is the outcome', () => {
    fc.assert(
      fc.property(outcome, scores, lambda, (o, s, l) => {
        expect(integratedFeedback(o, s, { ...paper, lambda: 0 })).toBe(o)
        expect(integratedFeedback(o, s, { ...paper, lambda: l, signal: 'outcome' })).toBe(o)
      }),
    )
  })

  it('does not depend on the order of the votes, and stays within 1 + λ', () => {
    fc.assert(
      fc.property(outcome, scores, lambda, (o, s, l) => {
        const value = integratedFeedback(o, s, { ...paper, lambda: l })
        expect(integratedFeedback(o, [...s].reverse(), { ...paper, lambda: l })).toBeCloseTo(value, 12)
        expect(Math.abs(value)).toBeLessThanOrEqual(1 + l + 1e-12)
      }),
    )
  })
})

describe('consistency feedback', () => {
  it('is R · S, whichever signal trains the policy', () => {
    expect(consistencyFeedback(1, [1, 1, -1], { ...paper, signal: 'outcome' })).toEqual([4 / 3, 4 / 3, -4 / 3])
  })

  it('gives an unparsable evaluation the lowest value of R · S, or -2 as released', () => {
    expect(consistencyFeedback(1, [1, 0], { ...paper, lambda: 3 })[1]).toBe(-4)
    expect(consistencyFeedback(1, [1, 0], { ...reference, lambda: 3 })[1]).toBe(-2)
    fc.assert(
      fc.property(outcome, scores, lambda, (o, s, l) => {
        const values = consistencyFeedback(o, s, { ...paper, lambda: l })
        s.forEach((score, index) => {
          if (score === 0) expect(values[index]).toBeLessThanOrEqual(Math.min(...values) + 1e-12)
        })
      }),
    )
  })
})
