/** A reward model that judges every step, as in the household: judging.ts asks, advantages.ts and metrics.ts count. */
import { groupAdvantages } from './advantages.ts'
import { criticSummary } from './critic-summary.ts'
import { judgeMetrics } from './judge-metrics.ts'
import { judge } from './judging.ts'
import type { LanguageModelPort, StepJudgeFormat } from './ports.ts'
import type { RewardStrategy } from './reward-strategy.ts'
import { scoredTrajectories } from './task-group.ts'

export function stepJudging(reward: LanguageModelPort, format: StepJudgeFormat): RewardStrategy {
  return {
    sharesEvaluations: false,

    /** Nobody does where the policy learns from outcomes alone, the judge is frozen, and no author needs a critic. */
    isRead: ({ signal }, trains) => signal !== 'outcome' || trains('reward') || trains('environment'),

    async *ask(groups, options) {
      const episodes = groups.flatMap((group) => group.rollouts.map(({ episode }) => episode))
      const judgements = yield* judge(reward, format, episodes, options)
      let next = 0
      for (const group of groups) {
        group.judgements = judgements.slice(next, next + group.rollouts.length)
        next += group.rollouts.length
      }
    },

    advantages: (group, settings) => groupAdvantages(scoredTrajectories(group), settings),

    criticSummary: ({ rollouts, judgements }, direction) =>
      criticSummary(
        rollouts.map(({ episode }, index) => ({
          outcome: episode.outcome,
          votes: judgements?.[index]?.votes ?? [],
        })),
        direction,
      ),

    metrics: judgeMetrics,

    // Held-out episodes are not judged: the environment's outcome is all that an evaluation needs.
    evaluate: null,
  }
}
