/** Where the shipped models stand: measured as the loop measures them, by rollouts and judgements at temperature 1. */
import type { EpisodeFinished } from '../method/events.ts'
import { judge } from '../method/judging.ts'
import type { EnvironmentPort, LanguageModelPort, RoleFormats, Split } from '../method/ports.ts'
import { rollOut } from '../method/rollout.ts'

export interface MeasureOptions {
  split: Split
  tasks: number
  maxSteps: number
  seed: number
}

export async function playEpisodes(
  policy: LanguageModelPort,
  environment: EnvironmentPort,
  formats: RoleFormats,
  { split, tasks, maxSteps, seed }: MeasureOptions,
): Promise<EpisodeFinished[]> {
  const sampled = await environment.sampleTasks(split, tasks, seed)
  const requests = sampled.map((task) => ({ episodeId: task.id, task, split, rollout: 0 }))
  const options = { maxSteps, temperature: 1, topP: 1, policyVersion: 0, seed, showSteps: false }
  return (await lastOf(rollOut({ policy, environment, formats }, requests, options))).map(({ episode }) => episode)
}

export interface RewardAccuracy {
  /** Share of evaluations that equal the true label of their step; unparsable ones are wrong. */
  process: number
  /** Share of episodes whose mean vote has the sign of the outcome. */
  outcome: number
  unparsable: number
}

export async function measureReward(
  reward: LanguageModelPort,
  formats: RoleFormats,
  episodes: readonly EpisodeFinished[],
  seed: number,
): Promise<RewardAccuracy> {
  const options = { evaluationsPerStep: 3, temperature: 1, topP: 1, rewardVersion: 0, seed }
  const judgements = await lastOf(judge({ reward, formats }, episodes, options))
  const counts = { votes: 0, right: 0, unparsable: 0, outcomes: 0 }
  for (const [index, { steps, outcome }] of episodes.entries()) {
    let sum = 0
    for (const [step, votes] of judgements[index]!.votes.entries()) {
      for (const { score } of votes) {
        counts.votes++
        sum += score
        if (score === steps[step]!.trueLabel) counts.right++
        if (score === 0) counts.unparsable++
      }
    }
    if (Math.sign(sum) === outcome) counts.outcomes++
  }
  return {
    process: counts.right / counts.votes,
    outcome: counts.outcomes / episodes.length,
    unparsable: counts.unparsable / counts.votes,
  }
}

async function lastOf<Result>(generator: AsyncGenerator<unknown, Result, void>): Promise<Result> {
  for (;;) {
    const { done, value } = await generator.next()
    if (done) return value
  }
}
