/** Assigns advantages, and decides about the candidates that were measured. */
import { decideRewrite } from '../adaptation.ts'
import { advantageEvents, untrained } from '../advantages.ts'
import type { RewriteResolved } from '../events.ts'
import type { AdvantagedGroup } from '../learning.ts'
import type { EvaluatedGroup } from '../reward-strategy.ts'
import type { TaskGroup } from '../task-group.ts'
import type { Events, RunContext } from './run-context.ts'

/** Accepts or rejects a candidate; null for an active task. */
export function decideCandidate({ state, settings }: RunContext, { task, pending }: TaskGroup): RewriteResolved | null {
  if (!pending) return null
  const accuracyAfter = state.accuracyOfTask(task.id) ?? 0
  const slot = state.slots.find((candidate) => candidate.pending === pending)!
  const again = settings.remeasure ? state.accuracyOfTask(slot.active.id) : null
  const accuracyBefore = again ?? pending.accuracyBefore
  return {
    type: 'rewrite-resolved',
    proposalId: pending.proposalId,
    taskId: slot.active.id,
    candidateId: task.id,
    direction: pending.direction,
    accuracyBefore,
    policyVersionBefore: again === null ? pending.policyVersionBefore : state.policyVersion,
    accuracyAfter,
    policyVersionAfter: state.policyVersion,
    ...decideRewrite(pending.direction, accuracyBefore, accuracyAfter, settings),
  }
}

/** Logs all advantages, and returns the groups that train: all except those of rejected candidates. */
export async function* assignAdvantages(
  run: RunContext,
  groups: readonly EvaluatedGroup[],
  decisions: readonly (RewriteResolved | null)[],
): Events<AdvantagedGroup[]> {
  const training: AdvantagedGroup[] = []
  for (const [index, group] of groups.entries()) {
    const advantages = group.evidence.advantages(run.settings)
    const isRejected = decisions[index]?.accepted === false
    if (!isRejected) training.push({ group, advantages })
    const episodeIds = group.rollouts.map(({ episode }) => episode.episodeId)
    for (const body of advantageEvents(group.task.id, episodeIds, isRejected ? untrained(advantages) : advantages)) {
      yield run.log(body)
    }
  }
  return training
}
