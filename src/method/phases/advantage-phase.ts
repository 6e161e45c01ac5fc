/** What every episode and every test is worth, and what becomes of the candidates that were measured. */
import { decideRewrite } from '../adaptation.ts'
import type { RewriteResolved } from '../events.ts'
import type { AdvantagedGroup } from '../learning.ts'
import type { TaskGroup } from '../task-group.ts'
import type { Events, RunContext } from './run-context.ts'

/** What becomes of a candidate, or null for an active task. */
export function decideCandidate({ state, settings }: RunContext, { task, pending }: TaskGroup): RewriteResolved | null {
  if (!pending) return null
  const accuracyAfter = state.accuracyOfTask(task.id) ?? 0
  const slot = state.slots.find((candidate) => candidate.pending === pending)!
  return {
    type: 'rewrite-resolved',
    proposalId: pending.proposalId,
    taskId: slot.active.id,
    candidateId: task.id,
    direction: pending.direction,
    accuracyBefore: pending.accuracyBefore,
    policyVersionBefore: pending.policyVersionBefore,
    accuracyAfter,
    policyVersionAfter: state.policyVersion,
    ...decideRewrite(pending.direction, pending.accuracyBefore, accuracyAfter, settings),
  }
}

/** Logs what everything is worth, and returns the groups that train: not those of rejected candidates. */
export async function* assignAdvantages(
  run: RunContext,
  groups: readonly TaskGroup[],
  decisions: readonly (RewriteResolved | null)[],
): Events<AdvantagedGroup[]> {
  const training: AdvantagedGroup[] = []
  for (const [index, group] of groups.entries()) {
    const advantages = run.strategy.advantages(group, run.settings)
    const isRejected = decisions[index]?.accepted === false
    const unlessRejected = (advantage: number | null) => (isRejected ? null : advantage)
    if (!isRejected) training.push({ group, advantages })
    for (const [rollout, { episode }] of group.rollouts.entries()) {
      yield run.log({
        type: 'advantages',
        episodeId: episode.episodeId,
        feedback: advantages.feedback[rollout]!,
        policy: advantages.policy[rollout]!.map(unlessRejected),
        reward: advantages.reward[rollout]!.map((step) => step.map(unlessRejected)),
      })
    }
    if (!advantages.tests) continue
    yield run.log({
      type: 'test-advantages',
      taskId: group.task.id,
      feedback: advantages.tests.feedback,
      reward: advantages.tests.reward.map(unlessRejected),
    })
  }
  return training
}
