/**
 * What the reward model's votes are worth, and why tasks are kept at middle difficulty (RLAnything, theorems 1 and 2):
 *
 *     p+ = P(S = 1 | O = 1)     p- = P(S = -1 | O = -1)     μ = p+ + p-
 *
 *     E[S | O = 1] - E[S | O = -1] = 2 (μ - 1)                    a signal iff μ > 1
 *     P(mean vote ranks the successful step first) ≥ 1 - exp(-m (μ - 1)²)     for μ > 1, by Hoeffding
 *     E[O · S] = a (2 p+ - 1) + (1 - a) (2 p- - 1)                a = acc(q); equals μ - 1 at a = 1/2
 *
 * The last line is what consistency feedback optimises: p+ and p- weighted a : 1 - a. At a → 0 the reward model is only
 * ever taught to say -1, and inside (0.2, 0.8) the ratio of the weights stays between 1/4 and 4.
 *
 * The bound takes the 2m votes as independent with range 2 each: the difference of the two means has mean 2 (μ - 1) and
 * Σ range² = 8 / m, hence exp(-2 · (2 (μ - 1))² · m / 8).
 *
 * Written tests are votes, too: S is how a program fared on a test, p+ the chance that a correct program passes one (what UT
 * asks of all of them at once) and p- the chance that a wrong program fails one (Detect). A test has μ > 1 where correct
 * programs pass it more often than wrong ones. But the m tests are the same for both programs, so only the m differences
 * S_success - S_failure are independent, with range 4 each: Σ range² = 16 / m, and half the exponent,
 *
 *     P(...) ≥ 1 - exp(-m (μ - 1)² / 2)     for shared evaluations
 */
import type { Outcome, Score } from './ports.ts'

export interface VoteStatistics {
  /** Null where no parsed vote fell on a step with that outcome. */
  pPlus: number | null
  pMinus: number | null
  mu: number | null
  precisionBound: number | null
  /** Share of steps in successful trajectories; 0 without steps. */
  successShare: number
}

/**
 * `scores[step][evaluation]` per trajectory. Unparsable votes are left out: they say neither +1 nor -1. `isShared` where
 * evaluation j is the same one for all trajectories, a test.
 */
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

/** Least probability that m votes on either step rank a successful step above a failed one; 0, no promise, for μ ≤ 1. */
export function precisionBound(mu: number, evaluationsPerStep: number, isShared = false): number {
  if (mu <= 1) return 0
  return 1 - Math.exp((-evaluationsPerStep * (mu - 1) ** 2) / (isShared ? 2 : 1))
}

/** E[O · S], the mean agreement of a vote with the outcome, at task accuracy a. */
export function expectedAgreement(accuracy: number, pPlus: number, pMinus: number): number {
  return accuracy * (2 * pPlus - 1) + (1 - accuracy) * (2 * pMinus - 1)
}

/** Weight of p+ over that of p- in what the reward model is taught, a : 1 - a; Infinity at accuracy 1. */
export function teachingBalance(accuracy: number): number {
  return accuracy / (1 - accuracy)
}
