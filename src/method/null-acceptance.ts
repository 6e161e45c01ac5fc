/**
 * How often a rewrite that changes nothing would be accepted: the line that an author has to beat. A task is rewritten because
 * its measured accuracy k/n is extreme, which is partly chance, so that a second measurement tends back to the middle, where
 * rewrites are accepted. Estimated for each measured candidate, without playing anything, under three assumptions:
 *
 *     q' = q, both measured with one policy          p ~ Beta(a, b) over the pool          k ~ Binomial(n, p)
 *
 *     P(k' | k) = C(n', k') · B(a + k + k', b + n - k + n' - k') / B(a + k, b + n - k)
 *     P(accepted | k) = Σ_{k'} P(k' | k) · [the rule accepts k/n → k'/n']
 *
 * Where q is measured again beside q' (`remeasure`), the sum runs over pairs (k'', k') that share p. a and b have the mean and the
 * variance of the pool's last measured accuracies; below 8 measured tasks they are 1, a uniform p. A policy that improves between
 * the two measurements makes "easier" rewrites pass more often and "harder" ones less. Ours; a run with `rewrites: 'null'`
 * measures the same line without the assumptions.
 */
import { isAccepted, type BandSettings } from './adaptation.ts'
import type { Direction } from './ports.ts'

export interface BetaPrior {
  a: number
  b: number
}

const UNIFORM: BetaPrior = { a: 1, b: 1 }
const FEWEST_ACCURACIES = 8

/**
 * The Beta distribution of true accuracies with the moments of accuracies that were measured with n rollouts each. What they vary
 * beyond a binomial's m(1 - m)/n is the spread of p: Var = m(1 - m) · (1/n + (1 - 1/n) · ρ), and a + b = 1/ρ - 1.
 */
export function poolPrior(accuracies: readonly number[], rollouts: number): BetaPrior {
  const count = accuracies.length
  if (count < FEWEST_ACCURACIES) return UNIFORM
  const average = accuracies.reduce((sum, accuracy) => sum + accuracy, 0) / count
  // A pool that was always or never solved still leaves room for one success or failure in its next round.
  const mean = Math.min(1 - 1 / (2 * count + 2), Math.max(1 / (2 * count + 2), average))
  const variance = accuracies.reduce((sum, accuracy) => sum + (accuracy - average) ** 2, 0) / (count - 1)
  const spread = (variance / (mean * (1 - mean)) - 1 / rollouts) / (1 - 1 / rollouts)
  const strength = 1 / Math.min(0.98, Math.max(0.02, spread)) - 1
  return { a: mean * strength, b: (1 - mean) * strength }
}

export interface NullMeasurement {
  direction: Direction
  /** acc(q) that triggered the rewrite, and of how many rollouts it is the mean. */
  accuracy: number
  rollouts: number
  /** Rollouts of the candidate, and of q where it is measured again. */
  rolloutsAfter: number
  remeasures: boolean
}

/** P(accepted | k) of a candidate that is its own task. */
export function nullAcceptance(
  { direction, accuracy, rollouts, rolloutsAfter: n, remeasures }: NullMeasurement,
  prior: BetaPrior,
  band: BandSettings,
): number {
  const solved = Math.round(accuracy * rollouts)
  const posterior = { a: prior.a + solved, b: prior.b + rollouts - solved }
  const accepts = (before: number, after: number) => (isAccepted(direction, before, after, band) ? 1 : 0)
  const counts = Array.from({ length: n + 1 }, (_, count) => count)
  if (!remeasures) {
    const ratios = betaRatios(posterior, n)
    return sumOver(counts, (after) => accepts(accuracy, after / n) * Math.exp(logChoose(n, after) + ratios[after]!))
  }
  const ratios = betaRatios(posterior, 2 * n)
  return sumOver(counts, (before) =>
    sumOver(
      counts,
      (after) =>
        accepts(before / n, after / n) * Math.exp(logChoose(n, before) + logChoose(n, after) + ratios[before + after]!),
    ),
  )
}

/** log B(a + k, b + n - k) / B(a, b) for k = 0 … n, from rising factorials. */
function betaRatios({ a, b }: BetaPrior, n: number): number[] {
  const rising = (from: number): number[] => {
    const logs = [0]
    for (let factor = 0; factor < n; factor++) logs.push(logs[factor]! + Math.log(from + factor))
    return logs
  }
  const [successes, failures, all] = [rising(a), rising(b), rising(a + b)]
  return successes.map((log, count) => log + failures[n - count]! - all[n]!)
}

function logChoose(n: number, k: number): number {
  let log = 0
  for (let factor = 1; factor <= k; factor++) log += Math.log((n - k + factor) / factor)
  return log
}

function sumOver(counts: readonly number[], term: (count: number) => number): number {
  return counts.reduce((sum, count) => sum + term(count), 0)
}
