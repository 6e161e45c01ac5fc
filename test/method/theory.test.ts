import { describe, expect, it } from 'vitest'
import { consistencyFeedback } from '../../src/method/feedback.ts'
import type { Outcome, Score } from '../../src/method/ports.ts'
import { uniformStream } from '../../src/method/random.ts'
import {
  constantVoteFeedback,
  estimateVoteStatistics,
  expectedAgreement,
  expectedSelfAgreement,
  precisionBound,
  teachingBalance,
} from '../../src/method/theory.ts'

/** Votes that are right with probability p+ on successful steps, p- on failed ones. */
function simulate(accuracy: number, pPlus: number, pMinus: number, m: number, trajectories = 20_000) {
  const uniform = uniformStream(1)
  return Array.from({ length: trajectories }, () => {
    const outcome: Outcome = uniform() < accuracy ? 1 : -1
    const vote = (): Score => (uniform() < (outcome === 1 ? pPlus : pMinus) ? outcome : (-outcome as Score))
    return { outcome, scores: [Array.from({ length: m }, vote)] }
  })
}
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

describe('the theory, against simulation', () => {
  it('recovers p+, p- and μ from votes, and the share of successful steps', () => {
    const estimate = estimateVoteStatistics(simulate(0.3, 0.7, 0.6, 3), { evaluationsPerStep: 3, lambda: 1 })
    expect(estimate.pPlus).toBeCloseTo(0.7, 1)
    expect(estimate.pMinus).toBeCloseTo(0.6, 1)
    expect(estimate.mu).toBeCloseTo(estimate.pPlus! + estimate.pMinus!, 12)
    expect(estimate.successShare).toBeCloseTo(0.3, 1)
  })

  it.each([
    [0.5, 0.7, 0.6],
    [0.1, 0.9, 0.4],
    [0.8, 0.55, 0.5],
  ])('predicts E[O·S] at a = %d, p+ = %d, p- = %d', (a, pPlus, pMinus) => {
    const agreement = mean(simulate(a, pPlus, pMinus, 1).map(({ outcome, scores }) => outcome * scores[0]![0]!))
    expect(Math.abs(agreement - expectedAgreement(a, pPlus, pMinus))).toBeLessThan(0.025)
  })

  it('separates the mean votes of success and failure by 2 (μ - 1)', () => {
    const trajectories = simulate(0.5, 0.75, 0.65, 1)
    const of = (side: Outcome) =>
      mean(trajectories.filter(({ outcome }) => outcome === side).map(({ scores }) => scores[0]![0]!))
    expect(Math.abs(of(1) - of(-1) - 2 * (1.4 - 1))).toBeLessThan(0.04)
  })

  it.each([
    [0.7, 0.6, 3],
    [0.8, 0.8, 5],
    [0.55, 0.55, 1],
    [0.95, 0.9, 9],
  ])('bounds from below how often votes rank success above failure: p+ = %d, p- = %d, m = %i', (pPlus, pMinus, m) => {
    const scoreSums = (outcome: Outcome) =>
      simulate(outcome === 1 ? 1 : 0, pPlus, pMinus, m, 5000).map(({ scores }) =>
        scores[0]!.reduce<number>((a, b) => a + b, 0),
      )
    const failed = scoreSums(-1).toReversed()
    const ranked = mean(scoreSums(1).map((success, index) => (success > failed[index]! ? 1 : 0)))
    expect(ranked).toBeGreaterThanOrEqual(precisionBound(pPlus + pMinus, m) - 0.02)
  })

  it.each([
    [0.7, 0.6, 3],
    [0.9, 0.7, 8],
    [0.95, 0.9, 2],
  ])(
    'bounds it with half the exponent where both are run on the same tests: p+ = %d, p- = %d, m = %i',
    (pPlus, pMinus, m) => {
      const uniform = uniformStream(2)
      // Correct programs fail a hard test too, which is the worst case for shared evaluations.
      const ranked = Array.from({ length: 20_000 }, () => {
        let difference = 0
        for (let test = 0; test < m; test++) {
          const draw = uniform()
          difference += (draw < pPlus ? 1 : -1) - (draw >= pMinus ? 1 : -1)
        }
        return difference > 0 ? 1 : 0
      })
      expect(mean(ranked)).toBeGreaterThanOrEqual(precisionBound(pPlus + pMinus, m, true) - 0.02)
      expect(precisionBound(pPlus + pMinus, m, true)).toBeLessThan(precisionBound(pPlus + pMinus, m))
    },
  )

  it('is 0 for μ ≤ 1, grows with the votes, and is 1 - e^-m at μ = 2', () => {
    expect([precisionBound(0.4, 9), precisionBound(1, 9)]).toEqual([0, 0])
    expect(precisionBound(1.4, 5)).toBeGreaterThan(precisionBound(1.4, 3))
    expect(precisionBound(2, 3)).toBeCloseTo(1 - Math.exp(-3), 12)
  })

  it('equals μ - 1 at accuracy 1/2, and keeps the balance between 1/4 and 4 inside the band', () => {
    expect(expectedAgreement(0.5, 0.7, 0.6)).toBeCloseTo(0.3, 12)
    expect(
      [teachingBalance(0.2), teachingBalance(0.5), teachingBalance(0.8)].map((value) => Number(value.toFixed(9))),
    ).toEqual([0.25, 1, 4])
  })

  it('estimates nothing without votes, and ignores unparsable ones', () => {
    expect(estimateVoteStatistics([], { evaluationsPerStep: 3, lambda: 1 })).toEqual({
      pPlus: null,
      pMinus: null,
      mu: null,
      precisionBound: null,
      grounded: null,
      selfConsistency: null,
      successShare: 0,
    })
    expect(
      estimateVoteStatistics([{ outcome: 1, scores: [[1, 0, 0]] }], { evaluationsPerStep: 3, lambda: 1 }),
    ).toMatchObject({
      pPlus: 1,
      pMinus: null,
      mu: null,
      grounded: 1,
      selfConsistency: 1,
      successShare: 1,
    })
  })
})

describe('the two terms of the consistency feedback', () => {
  const estimate = (trajectories: ReturnType<typeof simulate>, lambda = 1) => {
    const { grounded, selfConsistency } = estimateVoteStatistics(trajectories, { evaluationsPerStep: 3, lambda })
    return { grounded: grounded!, selfConsistency: selfConsistency! }
  }

  it.each([0, 0.5, 1, 4])('sum to the mean feedback of a vote at λ = %d', (lambda) => {
    const trajectories = simulate(0.3, 0.7, 0.6, 3, 200)
    const settings = { profile: 'paper', signal: 'integrated', lambda } as const
    const feedback = trajectories.flatMap(({ outcome, scores }) =>
      scores.flatMap((votes) => consistencyFeedback(outcome, votes, settings)),
    )
    const { grounded, selfConsistency } = estimate(trajectories, lambda)
    expect(grounded + selfConsistency).toBeCloseTo(mean(feedback), 12)
  })

  it('ground a vote as the formula over a, p+ and p- says', () => {
    expect(estimate(simulate(0.3, 0.7, 0.6, 3)).grounded).toBeCloseTo(expectedAgreement(0.3, 0.7, 0.6), 1)
  })

  it.each([1, 3, 8])('agree with the formulas for %i independent votes, and for a judge that always votes −1', (m) => {
    const at = (trajectories: ReturnType<typeof simulate>) =>
      estimateVoteStatistics(trajectories, { evaluationsPerStep: m, lambda: 1 })
    const judging = at(simulate(0.3, 0.8, 0.6, m))
    expect(Math.abs(judging.selfConsistency! - expectedSelfAgreement(0.3, 0.8, 0.6, m))).toBeLessThan(0.02)
    const collapsed = at(simulate(0.3, 0, 1, m))
    expect(collapsed.grounded! + collapsed.selfConsistency!).toBeCloseTo(constantVoteFeedback(-1, 0.3, 1), 1)
    expect(constantVoteFeedback(1, 0.3, 1)).toBeCloseTo(0.6, 12)
  })

  it('give a collapsed judge the whole self-consistency, whatever the outcomes are', () => {
    const collapsed = (accuracy: number) => estimate(simulate(accuracy, 0, 1, 3, 500), 2)
    expect(collapsed(0.1).selfConsistency).toBe(2)
    expect(collapsed(0.9).selfConsistency).toBe(2)
    expect(collapsed(0.1).grounded).toBeGreaterThan(0.7)
    expect(collapsed(0.9).grounded).toBeLessThan(-0.7)
  })

  it('do not let self-consistency see the outcome, and give a coin 1/m', () => {
    const trajectories = simulate(0.5, 0.8, 0.7, 3, 300)
    const turned = trajectories.map(({ outcome, scores }) => ({ outcome: -outcome as Outcome, scores }))
    expect(estimate(turned).selfConsistency).toBe(estimate(trajectories).selfConsistency)
    expect(estimate(turned).grounded).toBeCloseTo(-estimate(trajectories).grounded, 12)
    expect(estimate(simulate(0.5, 0.5, 0.5, 3)).selfConsistency).toBeCloseTo(1 / 3, 1)
  })
})
