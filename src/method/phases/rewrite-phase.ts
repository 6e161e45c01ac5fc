/**
 * Asks the author to rewrite each active task that left the band, in its turn: a task that was measured again beside a rejected
 * candidate waits for its next one, else a hopeless task would be rewritten in every iteration.
 */
import { rewriteDirection } from '../adaptation.ts'
import { deriveSeed } from '../random.ts'
import { proposeRewrites, type RewriteRequest } from '../rewriting.ts'
import type { EvaluatedGroup } from '../reward-strategy.ts'
import type { Events, RunContext } from './run-context.ts'

export interface Proposals {
  /** How many became candidates. */
  proposed: number
  /** Sampled from the author for summaries of what the judge wrote. */
  criticTokens: number
}

export const NO_PROPOSALS: Proposals = { proposed: 0, criticTokens: 0 }

/** The accuracies were measured with `policyVersion`. */
export async function* proposeCandidates(
  run: RunContext,
  groups: readonly EvaluatedGroup[],
  policyVersion: number,
): Events<Proposals> {
  const { settings, state, iteration, signal } = run
  const requests = groups.flatMap((group): RewriteRequest[] => {
    const accuracy = group.pending || group.isRemeasured ? null : state.accuracyOfTask(group.task.id)
    const direction = accuracy === null ? null : rewriteDirection(accuracy, settings)
    const slot = state.slots.find((candidate) => candidate.active.id === group.task.id)
    if (accuracy === null || direction === null || !slot) return []
    return [
      {
        proposalId: `${iteration}/${slot.original.id}`,
        candidateId: `${slot.original.id}~${iteration}`,
        task: group.task,
        direction,
        accuracy,
        criticSummary: group.evidence.criticSummary(direction),
        reasonings: group.evidence.criticReasonings(direction),
      },
    ]
  })
  const seed = deriveSeed(settings.seed, iteration, 'rewrite')
  const proposals = proposeRewrites(run.ports, requests, { settings, policyVersion, seed, signal })
  const criticTokens = yield* run.relay('adapt', proposals)
  const ids = new Set(requests.map((request) => request.proposalId))
  const proposed = state.slots.filter(({ pending }) => pending && ids.has(pending.proposalId)).length
  return { proposed, criticTokens }
}
