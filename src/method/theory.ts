/**
 * The quality of the reward model's votes, and why tasks should be of medium difficulty (RLAnything, theorems 1 and 2):
 *
 *     p+ = P(S = 1 | O = 1)     p- = P(S = -1 | O = -1)     μ = p+ + p-
 *
 *     E[S | O = 1] - E[S | O = -1] = 2 (μ - 1)                    a signal iff μ > 1
 *     P(mean vote ranks the successful step first) ≥ 1 - exp(-m (μ - 1)²)     for μ > 1, by Hoeffding
 *     E[O · S] = a (2 p+ - 1) + (1 - a) (2 p- - 1)                a = acc(q); equals μ - 1 at a = 1/2
 *
 * Consistency feedback optimises the last line: p+ and p- weighted a : 1 - a. At a → 0 the reward model learns only to vote -1;
 * inside (0.2, 0.8) the ratio of the weights stays between 1/4 and 4.
 *
 * The bound assumes 2m independent votes with range 2 each: the difference of the two means has mean 2 (μ - 1) and
 * Σ range² = 8 / m, hence exp(-2 · (2 (μ - 1))² · m / 8).
 *
 * Written tests are votes too: S is a program's result on a test, p+ the probability that a correct program passes a test (UT
 * requires this of all correct programs at once), p- the probability that a wrong program fails one (Detect). μ > 1 if correct
 * programs pass more often than wrong ones. But both programs share the m tests, so only the m differences
 * S_success - S_failure are independent, with range 4 each: Σ range² = 16 / m, and half the exponent,
 *
 *     P(...) ≥ 1 - exp(-m (μ - 1)² / 2)     for shared evaluations
 */
import type { Outcome, Score } from './ports.ts'

export interface VoteStatistics {
  /** Null without a readable vote on a step with that outcome. */
  pPlus: number | null
  pMinus: number | null
  mu: number | null
  precisionBound: number | null
  /** Share of steps in successful trajectories; 0 without steps. */
  successShare: number
}

/** Ignores unparsable votes. `isShared`: evaluation j is the same for all trajectories, as a test is. */
export function estimateVoteStatistics(
  trajectories: readonly { outcome: Outcome; scores: readonly (readonly Score[])[] }[],
  evaluationsPerStep: number,
  isShared = false,
): VoteStatistics {
  const votes = { success: 0, failure: 0 }
  const right = { success: 0, failure: 0 }
  let steps = 0
  let successSteps = 0
  for (const { outcome, scores } of trajectories) {
    const side = outcome === 1 ? 'success' : 'failure'
    steps += scores.length
    if (outcome === 1) successSteps += scores.length
    for (const score of scores.flat()) {
      if (score === 0) continue
      votes[side]++
      if (score === outcome) right[side]++
    }
  }
  const pPlus = votes.success > 0 ? right.success / votes.success : null
  const pMinus = votes.failure > 0 ? right.failure / votes.failure : null
  const mu = pPlus !== null && pMinus !== null ? pPlus + pMinus : null
  return {
    pPlus,
    pMinus,
    mu,
    precisionBound: mu === null ? null : precisionBound(mu, evaluationsPerStep, isShared),
    successShare: steps > 0 ? successSteps / steps : 0,
  }
}

/** Lower bound of the probability that m votes rank a successful step above a failed one; 0 for μ ≤ 1. */
export function precisionBound(mu: number, evaluationsPerStep: number, isShared = false): number {
  if (mu <= 1) return 0
  return 1 - Math.exp((-evaluationsPerStep * (mu - 1) ** 2) / (isShared ? 2 : 1))
}

/** E[O · S], the mean agreement of a vote with the outcome, at task accuracy a. */
export function expectedAgreement(accuracy: number, pPlus: number, pMinus: number): number {
  return accuracy * (2 * pPlus - 1) + (1 - accuracy) * (2 * pMinus - 1)
}

/** The ratio a : 1 - a of the weights of p+ and p-; Infinity at accuracy 1. */
export function teachingBalance(accuracy: number): number {
  return accuracy / (1 - accuracy)
}
