/**
 * Measures a judge of steps. Our own definitions, because the release has no code for them:
 * - process accuracy: share of single evaluations that equal the environment's true label of the step. An unparsable
 *   evaluation is wrong, and steps without a true label do not count.
 * - outcome accuracy: share of trajectories where the sign of the mean of all votes equals the outcome. A mean of 0
 *   predicts nothing and is wrong.
 * - vote agreement: share of pairs of evaluations of one step that agree. An unparsable one agrees with none.
 */
import type { VoteEvidence } from './evidence.ts'
import { countVotes, noVoteCounts } from './vote-counts.ts'

/** Null without judged episodes. */
export function judgeMetrics(evidence: readonly VoteEvidence[]): Record<string, number | null> {
  const counts = noVoteCounts()
  let evaluations = 0
  let unparsable = 0
  let pairs = 0
  let agreeingPairs = 0
  for (const { episodes } of evidence) {
    for (const { episode, votes } of episodes) {
      if (votes.length === 0) continue
      countVotes(counts, episode, votes)
      for (const stepVotes of votes) {
        stepVotes.forEach(({ score }, position) => {
          evaluations++
          if (score === 0) unparsable++
          for (const other of stepVotes.slice(position + 1)) {
            pairs++
            if (score !== 0 && score === other.score) agreeingPairs++
          }
        })
      }
    }
  }
  const labelled = counts.goodVotes + counts.badVotes
  return {
    'reward/process_acc': labelled > 0 ? (counts.goodRight + counts.badRight) / labelled : null,
    'reward/outcome_acc': counts.trajectories > 0 ? counts.outcomesRight / counts.trajectories : null,
    'reward/parse_fail_rate': evaluations > 0 ? unparsable / evaluations : null,
    'reward/vote_agreement': pairs > 0 ? agreeingPairs / pairs : null,
  }
}
