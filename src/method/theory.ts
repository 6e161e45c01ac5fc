/**
 * The quality of the reward model's votes, and why tasks should be of medium difficulty.
 *
 * What the documents of RLAnything state, in words and without the formulas:
 *
 *     Theorem 1   predicting each step's influence on the outcome splits into two terms, p+ and p-, which rollouts can
 *                 estimate; the importance-sampling ratio between them must be balanced, or the reward model is biased
 *     Theorem 2   the target that is actually optimised reduces to an estimator of μ; balanced task difficulty keeps the
 *                 importance-sampling ratio well behaved
 *
 * Everything below is our own derivation: the definitions are our reading of p+, p-, μ and the ratio.
 *
 *     p+ = P(S = 1 | O = 1)     p- = P(S = -1 | O = -1)     μ = p+ + p-
 *
 *     E[S | O = 1] - E[S | O = -1] = 2 (μ - 1)                    a signal iff μ > 1
 *     P(mean vote ranks the successful step first) ≥ 1 - exp(-m (μ - 1)²)     for μ > 1, by Hoeffding
 *     E[R · S] = E[O · S] + λ E[S̄ · S]                            because R = O + λ S̄, with S̄ the mean of a step's m votes
 *     E[O · S] = a (2 p+ - 1) + (1 - a) (2 p- - 1)                a = acc(q); equals μ - 1 at a = 1/2
 *     E[S̄ · S] = E[S̄²]                                            whatever O is; 1/m + (1 - 1/m) (2p - 1)² for m independent
 *                                                                 votes that are right with probability p
 *
 * E[O · S] is the grounded term: it weighs p+ and p- by a : 1 - a, which we read as the importance ratio. At a → 0 it teaches
 * the reward model only to vote -1; inside (0.2, 0.8) the ratio stays between 1/4 and 4.
 *
 * λ E[S̄ · S] is the self-consistency term. It is largest, λ, for a judge whose votes on a step always agree, right or wrong,
 * and 1/m of that for one that tosses coins, because S̄ contains S. So it rewards agreement with one's own majority whatever is
 * true. While λ |S̄| < 1 the sign of R is that of O; beyond, an agreeing majority overrules the outcome. A judge that collapses to
 * one vote has the whole term, and the grounded term then is ±(2a - 1).
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
  /** E[O · S] over readable votes; null without any. */
  grounded: number | null
  /** λ E[S̄ · S] over readable votes; null without any. */
  selfConsistency: number | null
  /** Share of steps in successful trajectories; 0 without steps. */
  successShare: number
}

export interface VoteSettings {
  evaluationsPerStep: number
  lambda: number
}

/** Ignores unparsable votes. `isShared`: evaluation j is the same for all trajectories, as a test is. */
export function estimateVoteStatistics(
  trajectories: readonly { outcome: Outcome; scores: readonly (readonly Score[])[] }[],
  { evaluationsPerStep, lambda }: VoteSettings,
  isShared = false,
): VoteStatistics {
  const votes = { success: 0, failure: 0 }
  const right = { success: 0, failure: 0 }
  let steps = 0
  let successSteps = 0
  let outcomeAgreement = 0
  let ownAgreement = 0
  for (const { outcome, scores } of trajectories) {
    const side = outcome === 1 ? 'success' : 'failure'
    steps += scores.length
    if (outcome === 1) successSteps += scores.length
    for (const step of scores) {
      const readable = step.filter((score) => score !== 0)
      if (readable.length === 0) continue
      const total = readable.reduce<number>((sum, score) => sum + score, 0)
      votes[side] += readable.length
      right[side] += readable.filter((score) => score === outcome).length
      outcomeAgreement += outcome * total
      // Σ_j S̄ S_ij = S̄ Σ_j S_ij
      ownAgreement += (total / readable.length) * total
    }
  }
  const count = votes.success + votes.failure
  const pPlus = votes.success > 0 ? right.success / votes.success : null
  const pMinus = votes.failure > 0 ? right.failure / votes.failure : null
  const mu = pPlus !== null && pMinus !== null ? pPlus + pMinus : null
  return {
    pPlus,
    pMinus,
    mu,
    precisionBound: mu === null ? null : precisionBound(mu, evaluationsPerStep, isShared),
    grounded: count > 0 ? outcomeAgreement / count : null,
    selfConsistency: count > 0 ? (lambda * ownAgreement) / count : null,
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

/** E[S̄ · S], the mean agreement of a vote with the m votes of its step, if these are independent; without λ. */
export function expectedSelfAgreement(accuracy: number, pPlus: number, pMinus: number, evaluations: number): number {
  const squared = (p: number) => 1 / evaluations + (1 - 1 / evaluations) * (2 * p - 1) ** 2
  return accuracy * squared(pPlus) + (1 - accuracy) * squared(pMinus)
}

/** E[R · S] of a judge that gives every step the same vote. */
export function constantVoteFeedback(vote: 1 | -1, accuracy: number, lambda: number): number {
  return vote * (2 * accuracy - 1) + lambda
}

/** The ratio a : 1 - a of the weights of p+ and p-; Infinity at accuracy 1. */
export function teachingBalance(accuracy: number): number {
  return accuracy / (1 - accuracy)
}
