/** Where the shipped models stand: measured as the loop measures them, by rollouts and judgements at temperature 1. */
import { demonstrate } from '../environments/household/demonstrations.ts'
import type { HouseholdGame } from '../environments/household/game.ts'
import { seededRandom } from '../environments/random.ts'
import { policyResponse } from '../environments/household/roles.ts'
import type { EpisodeFinished } from '../method/events.ts'
import { judge } from '../method/judging.ts'
import type { EnvironmentPort, LanguageModelPort, RoleFormats, StepJudgeFormat, Split } from '../method/ports.ts'
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

/** A demonstration in the shape of an episode, for judges to be measured on. */
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

export interface AuthorValidity {
  /** Share of attempts that are valid rewrites. */
  valid: number
  /** Share of tasks with a valid one among eight attempts. */
  proposed: number
}

export async function measureAuthor(
  author: LanguageModelPort,
  environment: EnvironmentPort,
  formats: RoleFormats,
  maxSteps: number,
  seed: number,
): Promise<AuthorValidity> {
  const tasks = await environment.sampleTasks('train', 40, seed + 1_000_000)
  const inputs = tasks.map((_, index) =>
    index % 2 === 0
      ? {
          direction: 'easier' as const,
          accuracy: 0,
          criticSummary: 'went to a place seen before x31; nothing happened x12',
        }
      : { direction: 'harder' as const, accuracy: 1, criticSummary: 'searched a new place x30; the goal is done x8' },
  )
  const descriptions = await Promise.all(tasks.map((task) => environment.describe(task)))
  const prompts = await author.encode(
    inputs.map((input, index) => formats.author.prompt({ ...input, description: descriptions[index]! })),
  )
  const completions = await author.generate(
    prompts.map((prompt, index) => ({ prompt, count: 8, seed: seed + index })),
    { temperature: 0.8, topP: 0.95, maxTokens: formats.author.maxTokens },
  )
  const results = await Promise.all(
    tasks.map((task, index) =>
      Promise.all(
        completions[index]!.map(({ text }) =>
          environment.rewrite(task, formats.author.parse(text), `${task.id}/new`, maxSteps),
        ),
      ),
    ),
  )
  return {
    valid: results.flat().filter(({ ok }) => ok).length / results.flat().length,
    proposed: results.filter((attempts) => attempts.some(({ ok }) => ok)).length / tasks.length,
  }
}

async function lastOf<Result>(generator: AsyncGenerator<unknown, Result, void>): Promise<Result> {
  for (;;) {
    const { done, value } = await generator.next()
    if (done) return value
  }
}
