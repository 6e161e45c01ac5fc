/**
 * Advantages of a task's group whose steps were judged. The policy's are those of ../advantages.ts; the reward model's are
 *
 *     A_ij^τ = (R_S_ij^τ - mean) / std      over the evaluations that `rewardGrouping` puts together
 *
 * `vote`: the m evaluations of one step, as released (alfworld_rl_reward.py:333-339); R is then a common factor, so only its
 * sign survives and unanimous steps teach nothing. `step`: all evaluations of the task at one step index, the set that the
 * paper names for the policy, and our default. `task`: all evaluations of the task. With `rewardBalance` they are weighed afterwards
 * (balance.ts).
 */
import {
  accuracyOf,
  groupBy,
  nonZero,
  policyAdvantages,
  standardise,
  trainsAt,
  type AdvantageSettings,
  type GroupAdvantages,
  type ScoredTrajectory,
} from '../advantages.ts'
import { consistencyFeedback, integratedFeedback } from '../feedback.ts'
import type { Settings } from '../settings.ts'
import { outcomeWeights } from './balance.ts'

/** Advantages of all trajectories of one task. Depends on nothing outside the group. */
export function groupAdvantages(group: readonly ScoredTrajectory[], settings: AdvantageSettings): GroupAdvantages {
  const accuracy = accuracyOf(group.map((trajectory) => trajectory.outcome))
  const { trainsPolicy, trainsReward } = trainsAt(accuracy, settings)
  const feedback = group.map(({ outcome, scores }) => scores.map((step) => integratedFeedback(outcome, step, settings)))

  const reward = group.map(({ scores }) => scores.map((step) => step.map((): number | null => null)))
  const weights = settings.rewardBalance === 'outcomes' ? outcomeWeights(group) : group.map(() => 1)
  if (trainsReward) {
    const evaluations = group.flatMap(({ outcome, scores }, trajectory) =>
      scores.flatMap((votes, step) =>
        consistencyFeedback(outcome, votes, settings).map((value, evaluation) => ({
          key: rewardSetKey(settings.rewardGrouping, trajectory, step),
          value,
          trajectory,
          step,
          evaluation,
        })),
      ),
    )
    for (const set of groupBy(evaluations)) {
      const advantages = standardise(
        set.map((entry) => entry.value),
        settings.normAdvByStd,
      )
      set.forEach(({ trajectory, step, evaluation }, index) => {
        reward[trajectory]![step]![evaluation] = nonZero(weights[trajectory]! * advantages[index]!)
      })
    }
  }
  return { accuracy, feedback, ...policyAdvantages(feedback, trainsPolicy, settings), reward, tests: null }
}

function rewardSetKey(grouping: Settings['rewardGrouping'], trajectory: number, step: number): string {
  switch (grouping) {
    case 'vote':
      return `${trajectory}/${step}`
    case 'step':
      return `${step}`
    case 'task':
      return ''
  }
}
