/** The rollouts of one task. */
import type { PendingRewrite } from './loop-state.ts'
import type { Task } from './ports.ts'
import type { Rollout } from './rollout.ts'

export interface TaskGroup {
  task: Task
  /** Set while the task is a candidate that is being measured. */
  pending: PendingRewrite | null
  /** True for a task that is rolled out again beside its candidate. It trains, but it is not its turn. */
  isRemeasured?: boolean
  rollouts: readonly Rollout[]
}

/** Tokens sampled from the policy. */
export function policyTokens({ rollouts }: TaskGroup): number {
  return rollouts
    .flatMap(({ samples }) => samples.map(({ response }) => response.length))
    .reduce((total, tokens) => total + tokens, 0)
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
