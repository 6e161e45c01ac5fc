/**
 * Votes of a task weighed so that those on successes and those on failures count the same together. Ours; the paper balances by the
 * choice of tasks alone (theory.ts):
 *
 *     E[O · S] = a (2 p+ - 1) + (1 - a) (2 p- - 1)      a: share of votes on steps of successes
 *     w(O = 1) = 1 / 2a     w(O = -1) = 1 / 2(1 - a)    so that E[w · O · S] = p+ + p- - 1 = μ - 1 for every a
 *
 * Without weights, a is high where most rollouts succeed, so +1 pays for every step. It is low where most fail, also because
 * failures last longer. A judge of the household became lenient for this reason (docs/decisions/0013).
 */
import type { ScoredTrajectory } from '../advantages.ts'

/** One for each trajectory; 0 where all trajectories have the same outcome, as they then say nothing of a step's worth. */
export function outcomeWeights(group: readonly ScoredTrajectory[]): number[] {
  const votesOf = (outcome: number) =>
    group
      .filter((trajectory) => trajectory.outcome === outcome)
      .reduce((sum, { scores }) => sum + scores.reduce((votes, step) => votes + step.length, 0), 0)
  const [successes, failures] = [votesOf(1), votesOf(-1)]
  if (successes === 0 || failures === 0) return group.map(() => 0)
  return group.map(({ outcome }) => (successes + failures) / (2 * (outcome === 1 ? successes : failures)))
}
