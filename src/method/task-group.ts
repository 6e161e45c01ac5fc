/** The rollouts of one task in one iteration, with what the reward model said of them. */
import type { ScoredTrajectory } from './advantages.ts'
import type { Judgement } from './judging.ts'
import type { PendingRewrite } from './loop-state.ts'
import type { Task } from './ports.ts'
import type { Rollout } from './rollout.ts'

export interface TaskGroup {
  task: Task
  /** Set where the task is a candidate that is being measured. */
  pending: PendingRewrite | null
  rollouts: Rollout[]
  /** Null when the reward model was not asked. */
  judgements: Judgement[] | null
}

export function scoredTrajectories({ rollouts, judgements }: TaskGroup): ScoredTrajectory[] {
  return rollouts.map(({ episode }, index) => ({
    outcome: episode.outcome,
    scores: judgements?.[index]?.votes.map((votes) => votes.map(({ score }) => score)) ?? episode.steps.map(() => []),
  }))
}

/** Tokens sampled from the policy and the reward model. */
export function sampledTokens({ rollouts, judgements }: TaskGroup): number {
  const responses = rollouts.flatMap(({ samples }) => samples.map(({ response }) => response.length))
  const evaluations = (judgements ?? []).map(({ tokenCount }) => tokenCount)
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
  const judgements = groups.flatMap((group) => group.judgements ?? [])
  const tokens = judgements.reduce((total, { tokenCount }) => total + tokenCount, 0)
  return tokens > 0 ? judgements.reduce((total, { entropySum }) => total + entropySum, 0) / tokens : null
}
