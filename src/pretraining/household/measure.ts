/** Measures the household's reward model like the loop, by judgements at temperature 1. */
import { demonstrate } from '../../worlds/household/roles/demonstrations.ts'
import type { HouseholdGame } from '../../worlds/household/engine/game.ts'
import { seededRandom } from '../../worlds/random.ts'
import { policyResponse } from '../../worlds/household/roles/plain-roles.ts'
import type { EpisodeFinished } from '../../method/events.ts'
import { judge } from '../../method/step-judging/judging.ts'
import type { LanguageModelPort, StepJudgeFormat } from '../../method/ports.ts'
import { lastOf } from '../measure-roles.ts'

/** A demonstration in the form of an episode, to measure judges on. */
export function demonstratedEpisode(
  game: HouseholdGame,
  slip: number,
  maxSteps: number,
  seed: number,
): EpisodeFinished {
  const { opening, steps, won } = demonstrate(game, { slip, maxSteps }, seededRandom('judged', seed))
  return {
    type: 'episode',
    episodeId: game.id,
    taskId: game.id,
    split: 'id',
    rollout: 0,
    policyVersion: 0,
    instruction: '',
    opening,
    outcome: won ? 1 : -1,
    steps: steps.map(({ thought, command, observation, trueLabel }) => ({
      response: policyResponse(thought, command),
      thought,
      command,
      observation,
      trueLabel,
      distance: 0,
      tokens: [],
      logProbs: [],
      entropies: [],
    })),
  }
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
  format: StepJudgeFormat,
  episodes: readonly EpisodeFinished[],
  seed: number,
): Promise<RewardAccuracy> {
  const options = { evaluationsPerStep: 3, temperature: 1, topP: 1, rewardVersion: 0, seed }
  const judgements = await lastOf(judge(reward, format, episodes, options))
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
