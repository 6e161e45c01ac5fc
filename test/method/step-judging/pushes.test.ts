import { describe, expect, it } from 'vitest'
import type { Score } from '../../../src/method/ports.ts'
import { stepPush } from '../../../src/method/step-judging/pushes.ts'
import { flippedVote, writtenScore } from '../../../src/method/vote-flips.ts'

/** All votes of m evaluations, each with its probability if +1 has probability p. */
function draws(m: number, p: number): { scores: Score[]; probability: number }[] {
  return Array.from({ length: 2 ** m }, (_, bits) => {
    const scores = Array.from({ length: m }, (_, j): Score => ((bits >> j) & 1 ? 1 : -1))
    return { scores, probability: scores.reduce<number>((product, score) => product * (score === 1 ? p : 1 - p), 1) }
  })
}

describe('the push of a step', () => {
  it.each([0.1, 0.5, 0.8])('is on average the gradient of the log-odds, at p = %f', (p) => {
    const [ofPlus, ofMinus] = [0.7, -1.3]
    for (const m of [2, 3, 5]) {
      const mean = draws(m, p).reduce((sum, { scores, probability }) => {
        const advantages = scores.map((score) => (score === 1 ? ofPlus : ofMinus))
        return sum + probability * stepPush(scores, advantages)
      }, 0)
      // Σ_S π(S) A(S) S (1 − π(S)), for each of m votes
      expect(mean).toBeCloseTo(m * p * (1 - p) * (ofPlus - ofMinus), 12)
    }
  })

  it('is zero where the votes agree, where none train, and with one readable vote', () => {
    expect(stepPush([1, 1, 1], [2, 2, 2])).toBe(0)
    expect(stepPush([1, -1, 1], [null, null, null])).toBe(0)
    expect(stepPush([1, 0, 0], [2, -2, -2])).toBe(0)
    expect(stepPush([], [])).toBe(0)
  })

  it('leaves unreadable votes out', () => {
    expect(stepPush([1, 0, -1], [1, -2, -1])).toBe(stepPush([1, -1], [1, -1]))
  })

  it('is that of the votes as they were written', () => {
    for (const score of [1, 0, -1] as const) {
      const vote = { score, reasoning: '' }
      expect([vote, flippedVote(vote)].map(writtenScore)).toEqual([score, score])
    }
  })
})
