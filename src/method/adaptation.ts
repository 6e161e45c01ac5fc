/**
 * Adapts tasks to the policy (RLAnything, environment adaptation). A task whose accuracy is outside the open interval
 * (α_low, α_high) is rewritten; the rewrite q' replaces q only if
 *
 *     harder:  α_low < acc(q') < acc(q)          easier:  acc(q) < acc(q') < α_high          always: acc(q') > 0
 *
 * Profile `reference` includes the band's edges, α_low ≤ acc(q') and acc(q') ≤ α_high (alfworld_rl_reward.py:178-190).
 * The trigger includes them in both profiles: "outside (α_low, α_high)" as printed, and as released
 * (alfworld_utils.py:695). Only the released coding code excludes its lower edge (llm_env_rollout.py:641); no group of 8 or 32
 * programs has the accuracy 0.2, so we include it.
 *
 * acc(q') is measured in the iteration after acc(q), with a policy that has learned in between and as many rollouts as a
 * group has. Both accuracies are therefore logged with their policy version. Moreover acc(q) was chosen for being extreme, so
 * a candidate that changes nothing is often accepted too (null-acceptance.ts). With `remeasure`, q is rolled out again beside
 * q', and that acc(q) enters the rule instead.
 */
import type { Direction } from './ports.ts'
import type { Settings } from './settings.ts'

export type BandSettings = Pick<Settings, 'profile' | 'alphaLow' | 'alphaHigh'>

/** Which way a task of this accuracy should change, or null inside the band. */
export function rewriteDirection(
  accuracy: number,
  settings: Pick<BandSettings, 'alphaLow' | 'alphaHigh'>,
): Direction | null {
  if (accuracy >= settings.alphaHigh) return 'harder'
  if (accuracy <= settings.alphaLow) return 'easier'
  return null
}

/** The rule, without its words. */
export function isAccepted(
  direction: Direction,
  accuracyBefore: number,
  accuracyAfter: number,
  { profile, alphaLow, alphaHigh }: BandSettings,
): boolean {
  if (accuracyAfter <= 0) return false
  const edgeIncluded = profile === 'reference'
  if (direction === 'harder') {
    return (edgeIncluded ? alphaLow <= accuracyAfter : alphaLow < accuracyAfter) && accuracyAfter < accuracyBefore
  }
  return accuracyBefore < accuracyAfter && (edgeIncluded ? accuracyAfter <= alphaHigh : accuracyAfter < alphaHigh)
}

export interface RewriteDecision {
  accepted: boolean
  /** The rule in symbols and numbers: "acc(q) < acc(q') < α_high: 0.125 < 0.5 < 0.8". */
  rule: string
}

export function decideRewrite(
  direction: Direction,
  accuracyBefore: number,
  accuracyAfter: number,
  settings: BandSettings,
): RewriteDecision {
  const edge = settings.profile === 'reference' ? '≤' : '<'
  const before = shortNumber(accuracyBefore)
  const after = shortNumber(accuracyAfter)
  if (accuracyAfter <= 0) return { accepted: false, rule: `acc(q') > 0 does not hold: acc(q') = ${after}` }
  const accepted = isAccepted(direction, accuracyBefore, accuracyAfter, settings)
  if (direction === 'harder') {
    const low = shortNumber(settings.alphaLow)
    return {
      accepted,
      rule: ruleSentence(`α_low ${edge} acc(q') < acc(q)`, `${low} ${edge} ${after} < ${before}`, accepted),
    }
  }
  const high = shortNumber(settings.alphaHigh)
  return {
    accepted,
    rule: ruleSentence(`acc(q) < acc(q') ${edge} α_high`, `${before} < ${after} ${edge} ${high}`, accepted),
  }
}

function ruleSentence(symbols: string, numbers: string, holds: boolean): string {
  return `${symbols}${holds ? '' : ' does not hold'}: ${numbers}`
}

/** At most three decimals, no trailing zeros. */
function shortNumber(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}
