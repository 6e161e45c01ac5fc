/**
 * What the reward model said most often, for the author who rewrites the task (RLAnything: a critic summarised from the
 * reward model's reasoning r_ij). For an easier task, counts the reasons of -1 on failed trajectories; for a harder one,
 * the reasons of +1 on successful ones.
 *
 * For judges whose reasons recur. What a judge writes in prose never recurs, so the author summarises it (critic-writing.ts).
 *
 * The released AlfWorld code has the author model summarise failed trajectories and never shows it the reasoning
 * (alfworld_rl_rollout.py:1354-1435); we follow the paper.
 */
import { compactReason, countedReasons, CRITIC_SUMMARY_MAX_LENGTH } from '../critic-reasons.ts'
import type { Evaluation } from '../events.ts'
import type { Direction, Outcome } from '../ports.ts'

/** '' without reasons. Does not depend on the order of the input. */
export function criticSummary(
  trajectories: readonly { outcome: Outcome; votes: readonly (readonly Evaluation[])[] }[],
  direction: Direction,
): string {
  const side = direction === 'easier' ? -1 : 1
  const counts = new Map<string, number>()
  for (const { outcome, votes } of trajectories) {
    if (outcome !== side) continue
    for (const { score, reasoning } of votes.flat()) {
      if (score !== side) continue
      const reason = compactReason(reasoning)
      if (reason !== '') counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
  }
  return countedReasons(counts, CRITIC_SUMMARY_MAX_LENGTH)
}
