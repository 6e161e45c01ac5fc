/** How well a reward model judges the steps of played episodes. */
import type { EpisodeFinished } from '../method/events.ts'
import { judge } from '../method/step-judging/judging.ts'
import { StepQuestions } from '../method/step-judging/step-questions.ts'
import { countVotes, noVoteCounts } from '../method/step-judging/vote-counts.ts'
import type { LanguageModelPort, StepJudgeFormat } from '../method/ports.ts'
import { lastOf } from './measure-roles.ts'

export interface RewardAccuracy {
  /** Shares of evaluations of good and of bad steps that are right; unparsable ones are wrong. */
  good: number
  bad: number
  /** Share of episodes whose mean vote has the sign of the outcome. */
  outcome: number
  unparsable: number
}

/** Three evaluations of every step at temperature 1. */
export async function measureReward(
  reward: LanguageModelPort,
  format: StepJudgeFormat,
  episodes: readonly EpisodeFinished[],
  seed: number,
): Promise<RewardAccuracy> {
  const options = { evaluationsPerStep: 3, temperature: 1, topP: 1, rewardVersion: 0, seed }
  const judgements = await lastOf(judge(new StepQuestions(reward, format, options), episodes, 0))
  const counts = noVoteCounts()
  for (const [index, episode] of episodes.entries()) countVotes(counts, episode, judgements[index]!.votes)
  const votes = judgements.flatMap((judgement) => judgement.votes.flat())
  return {
    good: counts.goodRight / counts.goodVotes,
    bad: counts.badRight / counts.badVotes,
    outcome: counts.outcomesRight / counts.trajectories,
    unparsable: votes.filter(({ score }) => score === 0).length / votes.length,
  }
}

/** The same as a line of the training's report. */
export async function rewardStanding(
  reward: LanguageModelPort,
  format: StepJudgeFormat,
  episodes: readonly EpisodeFinished[],
): Promise<string> {
  const { good, bad, outcome, unparsable } = await measureReward(reward, format, episodes, 1)
  return (
    `on played episodes: balanced accuracy ${((good + bad) / 2).toFixed(3)} (good steps ${good.toFixed(3)}, ` +
    `bad steps ${bad.toFixed(3)}), outcome accuracy ${outcome.toFixed(3)}, unparsable ${unparsable.toFixed(3)}`
  )
}
