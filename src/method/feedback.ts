/**
 * Feedback for a step and for an evaluation of it (RLAnything, integrated and consistency feedback):
 *
 *     R_i    = O + (λ / m) · Σ_j S_ij         O, S_ij ∈ {-1, +1}        trains the policy
 *     R_S_ij = R_i · S_ij                                               trains the reward model
 *
 * The paper does not define unparsable evaluations. Profile `paper` leaves them out of the mean and gives them -(1 + λ), the
 * lowest value of R · S: an unreadable answer is as bad as the worst wrong one, for any λ. Profile `reference` counts them as 0
 * in the mean and gives them -2 (alfworld_rl_reward.py:288, :321-328). The two are equal at λ = 1.
 *
 * `signal` selects what trains the policy: R, O alone or mean S alone. The consistency feedback always uses R.
 */
import type { Outcome, Score } from './ports.ts'
import type { Settings } from './settings.ts'

export type FeedbackSettings = Pick<Settings, 'profile' | 'signal' | 'lambda'>

/** Feedback of an unparsable evaluation in the released code, for any λ. */
export const REFERENCE_UNPARSABLE_FEEDBACK = -2

/** Mean of the m scores of one step in [-1, 1]; 0 without readable ones. */
export function meanScore(scores: readonly Score[], profile: Settings['profile']): number {
  const counted = profile === 'reference' ? scores : scores.filter((score) => score !== 0)
  if (counted.length === 0) return 0
  return counted.reduce<number>((sum, score) => sum + score, 0) / counted.length
}

/** R_i in [-(1 + λ), 1 + λ], or the part of it that `signal` selects. */
export function integratedFeedback(outcome: Outcome, scores: readonly Score[], settings: FeedbackSettings): number {
  switch (settings.signal) {
    case 'integrated':
      return outcome + settings.lambda * meanScore(scores, settings.profile)
    case 'outcome':
      return outcome
    case 'step':
      return meanScore(scores, settings.profile)
  }
}

/** R_S_ij of every evaluation j of one step; [scores.length]. */
export function consistencyFeedback(outcome: Outcome, scores: readonly Score[], settings: FeedbackSettings): number[] {
  const integrated = integratedFeedback(outcome, scores, { ...settings, signal: 'integrated' })
  const unparsable = settings.profile === 'reference' ? REFERENCE_UNPARSABLE_FEEDBACK : -(1 + settings.lambda)
  return scores.map((score) => (score === 0 ? unparsable : integrated * score))
}
