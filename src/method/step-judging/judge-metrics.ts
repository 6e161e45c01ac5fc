/**
 * Measures a judge of steps. Our own definitions, because the release has no code for them:
 * - process accuracy: share of single evaluations that equal the environment's true label of the step. An unparsable
 *   evaluation is wrong, and steps without a true label do not count.
 * - outcome accuracy: share of trajectories where the sign of the mean of all votes equals the outcome. A mean of 0
 *   predicts nothing and is wrong.
 * - vote agreement: share of pairs of evaluations of one step that agree. An unparsable one agrees with none.
 */
import { mean } from '../metrics.ts'
import type { VoteEvidence } from './evidence.ts'

/** Null without judged episodes. */
export function judgeMetrics(evidence: readonly VoteEvidence[]): Record<string, number | null> {
  let evaluations = 0
  let unparsable = 0
  let right = 0
  let labelled = 0
  let pairs = 0
  let agreeingPairs = 0
  const outcomePredictions: number[] = []
  for (const { episodes } of evidence) {
    for (const { episode, votes } of episodes) {
      if (votes.length === 0) continue
      let voteSum = 0
      votes.forEach((stepVotes, step) => {
        const label = episode.steps[step]?.trueLabel ?? null
        stepVotes.forEach(({ score }, position) => {
          evaluations++
          voteSum += score
          if (score === 0) unparsable++
          if (label !== null) labelled++
          if (score === label) right++
          for (const other of stepVotes.slice(position + 1)) {
            pairs++
            if (score !== 0 && score === other.score) agreeingPairs++
          }
        })
      })
      outcomePredictions.push(Math.sign(voteSum) === episode.outcome ? 1 : 0)
    }
  }
  return {
    'reward/process_acc': labelled > 0 ? right / labelled : null,
    'reward/outcome_acc': mean(outcomePredictions),
    'reward/parse_fail_rate': evaluations > 0 ? unparsable / evaluations : null,
    'reward/vote_agreement': pairs > 0 ? agreeingPairs / pairs : null,
  }
}
