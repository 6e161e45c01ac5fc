/** A reward model that judges every step: judging.ts asks, evidence.ts holds the votes, judge-metrics.ts counts. */
import type { LanguageModelPort, StepJudgeFormat } from '../ports.ts'
import type { RewardStrategy } from '../reward-strategy.ts'
import { VoteEvidence } from './evidence.ts'
import { measureVotes } from './fixed-votes.ts'
import { judgeMetrics } from './judge-metrics.ts'
import { judge } from './judging.ts'
import { meanPush } from './pushes.ts'
import { StepQuestions } from './step-questions.ts'

export function stepJudging(reward: LanguageModelPort, format: StepJudgeFormat): RewardStrategy<VoteEvidence> {
  return {
    sharesEvaluations: false,

    /** Not if the policy learns from outcomes alone, the judge is frozen, and no author needs a critic. */
    isRead: ({ signal, rewrites }, trains) =>
      signal !== 'outcome' || trains('reward') || (trains('environment') && rewrites === 'author'),

    inquire(options) {
      const questions = new StepQuestions(reward, format, options)
      return {
        onTurn: (steps) => questions.add(steps),
        async *ask(groups) {
          const episodes = groups.flatMap((group) => group.rollouts.map(({ episode }) => episode))
          const judgements = yield* judge(questions, episodes, options.rewardVersion)
          let next = 0
          return groups.map(({ rollouts }) => {
            const own = judgements.slice(next, next + rollouts.length)
            next += rollouts.length
            return new VoteEvidence(rollouts, own)
          })
        },
        close: () => questions.close(),
      }
    },

    withoutAsking: ({ rollouts }) => new VoteEvidence(rollouts, null),

    metrics: (evidence, training) => ({ ...judgeMetrics(evidence), 'reward/push': meanPush(training) }),

    measure: (replayed, options) => measureVotes(reward, format, replayed, options),

    // Held-out episodes are not judged: an evaluation needs only the environment's outcome.
    evaluate: null,
  }
}
