/** Measures the household's models like the loop: by held-out games, judgements at temperature 1, and rewrites. */
import type { EpisodeFinished } from '../../method/events.ts'
import { judge } from '../../method/step-judging/judging.ts'
import { StepQuestions } from '../../method/step-judging/step-questions.ts'
import { countVotes, noVoteCounts } from '../../method/step-judging/vote-counts.ts'
import type { LanguageModelPort, StepJudgeFormat } from '../../method/ports.ts'
import { taskTypes } from '../../worlds/household/engine/game.ts'
import { HouseholdEnvironment } from '../../worlds/household/environment.ts'
import { generatedGames } from '../../worlds/household/game-source.ts'
import { householdFormats } from '../../worlds/household/roles/plain-roles.ts'
import { lastOf, measureAuthor, playEpisodes } from '../measure-roles.ts'
import { MAX_STEPS } from './recipes.ts'

const HELD_OUT = { split: 'id', maxSteps: MAX_STEPS, seed: 1 } as const
const GAMES = 200
/** Games of each player. */
const JUDGED_GAMES = 20
const AUTHOR_MEASURE = {
  easier: 'went to a place seen before x31; nothing happened x12',
  harder: 'searched a new place x30; the goal is done x8',
  maxSteps: MAX_STEPS,
  seed: 1,
}

function household(): HouseholdEnvironment {
  return new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) })
}

export async function policyStanding(policy: LanguageModelPort): Promise<string> {
  const play = async (temperature: number) =>
    accuracyText(await playEpisodes(policy, household(), householdFormats, { ...HELD_OUT, tasks: GAMES, temperature }))
  return `held-out accuracy greedy ${await play(0)}; sampled ${await play(1)}`
}

/** "0.380 (pick_and_place_simple 19/20, …)". */
export function accuracyText(episodes: readonly Pick<EpisodeFinished, 'taskId' | 'outcome'>[]): string {
  const won = (some: typeof episodes) => some.filter(({ outcome }) => outcome === 1).length
  const byType = taskTypes.flatMap((type) => {
    const own = episodes.filter(({ taskId }) => taskId.startsWith(`${type}-`))
    return own.length > 0 ? [`${type} ${won(own)}/${own.length}`] : []
  })
  return `${(won(episodes) / episodes.length).toFixed(3)} (${byType.join(', ')})`
}

/** Held-out games of every player, to measure judges on. */
export async function judgedEpisodes(players: readonly LanguageModelPort[]): Promise<EpisodeFinished[]> {
  const episodes: EpisodeFinished[] = []
  for (const player of players) {
    const options = { ...HELD_OUT, tasks: JUDGED_GAMES }
    episodes.push(...(await playEpisodes(player, household(), householdFormats, options)))
  }
  return episodes
}

export async function rewardStanding(reward: LanguageModelPort, episodes: readonly EpisodeFinished[]): Promise<string> {
  const { good, bad, outcome, unparsable } = await measureReward(reward, householdFormats.reward, episodes, 1)
  return (
    `on played episodes: balanced accuracy ${((good + bad) / 2).toFixed(3)} (good steps ${good.toFixed(3)}, ` +
    `bad steps ${bad.toFixed(3)}), outcome accuracy ${outcome.toFixed(3)}, unparsable ${unparsable.toFixed(3)}`
  )
}

export interface RewardAccuracy {
  /** Shares of evaluations of good and of bad steps that are right; unparsable ones are wrong. */
  good: number
  bad: number
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

export async function authorStanding(author: LanguageModelPort): Promise<string> {
  const { valid, proposed } = await measureAuthor(author, household(), householdFormats, AUTHOR_MEASURE)
  return `valid attempts ${valid.toFixed(3)}, tasks with a valid one among 8 ${proposed.toFixed(3)}`
}
