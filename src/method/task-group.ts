/** The rollouts of one task, with what the reward model said of them. */
import type { ScoredTrajectory } from './advantages.ts'
import { scoresOf } from './coding/program-group.ts'
import type { Judgement } from './judging.ts'
import type { PendingRewrite } from './loop-state.ts'
import type { Task } from './ports.ts'
import type { Rollout } from './rollout.ts'
import type { TaskTests } from './test-writing.ts'

export interface TaskGroup {
  task: Task
  /** Set where the task is a candidate that is being measured. */
  pending: PendingRewrite | null
  rollouts: Rollout[]
  /** Null where the reward model was not asked, or writes tests. */
  judgements: Judgement[] | null
  /** Null where the reward model was not asked, or judges steps. */
  tests: TaskTests | null
}

export function newGroup(task: Task, pending: PendingRewrite | null = null): TaskGroup {
  return { task, pending, rollouts: [], judgements: null, tests: null }
}

/** Votes of the steps, or, as the votes of the one step that a program is, how it fared on the written tests. */
export function scoredTrajectories({ rollouts, judgements, tests }: TaskGroup): ScoredTrajectory[] {
  return rollouts.map(({ episode }, index) => {
    const votes = judgements?.[index]?.votes.map((step) => step.map(({ score }) => score))
    const scores = tests ? [scoresOf(tests.passed[index]!)] : votes
    return { outcome: episode.outcome, scores: scores ?? episode.steps.map(() => []) }
  })
}

/** Everything that the reward model was sampled for. */
function rewardSamplings({ judgements, tests }: TaskGroup): { entropySum: number; tokenCount: number }[] {
  return [...(judgements ?? []), ...(tests ? [tests] : [])]
}

/** Tokens sampled from the policy and the reward model. */
export function sampledTokens(group: TaskGroup): number {
  const responses = group.rollouts.flatMap(({ samples }) => samples.map(({ response }) => response.length))
  const evaluations = rewardSamplings(group).map(({ tokenCount }) => tokenCount)
  return [...responses, ...evaluations].reduce((total, tokens) => total + tokens, 0)
}

/** Mean entropy of the policy's sampled tokens in nats; null without any. */
export function policyEntropy(groups: readonly TaskGroup[]): number | null {
  let sum = 0
  let tokens = 0
  for (const { rollouts } of groups) {
    for (const entropies of rollouts.flatMap(({ episode }) => episode.steps.map((step) => step.entropies))) {
      for (const entropy of entropies) sum += entropy
      tokens += entropies.length
    }
  }
  return tokens > 0 ? sum / tokens : null
}

/** Mean entropy of the reward model's sampled tokens in nats; null without any. */
export function rewardEntropy(groups: readonly TaskGroup[]): number | null {
  const samplings = groups.flatMap(rewardSamplings)
  const tokens = samplings.reduce((total, { tokenCount }) => total + tokenCount, 0)
  return tokens > 0 ? samplings.reduce((total, { entropySum }) => total + entropySum, 0) / tokens : null
}
