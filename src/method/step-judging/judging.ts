/**
 * The reward model's evaluations of whole episodes. Steps that it has not been asked about while they were played are asked about
 * here: each generate call takes whole episodes, up to a limit.
 */
import type { EpisodeFinished, EpisodeJudged, Evaluation, PhaseProgressed } from '../events.ts'
import { pooled, type Sampling } from '../reward-strategy.ts'
import type { PlayedStep } from '../rollout.ts'
import type { TrainingSample } from '../training-sample.ts'
import type { StepJudgement, StepQuestions } from './step-questions.ts'

/** Most step prompts in one generate call, unless a single episode has more. */
export const STEPS_PER_CALL = 256

export interface Judgement extends Sampling {
  /** votes[step][evaluation] */
  votes: Evaluation[][]
  /** samples[step][evaluation] */
  samples: TrainingSample[][]
}

/** Yields each episode's votes when they and those before it have arrived. Returns the judgements in the order of the episodes. */
export async function* judge(
  questions: StepQuestions,
  episodes: readonly EpisodeFinished[],
  rewardVersion: number,
): AsyncGenerator<EpisodeJudged | PhaseProgressed, Judgement[], void> {
  const judgements: Judgement[] = []
  yield { type: 'progress', phase: 'judge', done: 0, total: episodes.length }
  for (const batch of wholeEpisodes(episodes, STEPS_PER_CALL)) {
    questions.add(batch.flatMap((episode) => stepsOf(episode).slice(questions.countOf(episode.episodeId))))
  }
  for (const { episodeId } of episodes) {
    const judgement = joined(await questions.judgementsOf(episodeId))
    judgements.push(judgement)
    yield { type: 'judged', episodeId, rewardVersion, votes: judgement.votes }
    yield { type: 'progress', phase: 'judge', done: judgements.length, total: episodes.length }
  }
  return judgements
}

function joined(steps: readonly StepJudgement[]): Judgement {
  return {
    votes: steps.map(({ votes }) => votes),
    samples: steps.map(({ samples }) => samples),
    ...pooled(steps.flatMap(({ samplings }) => samplings)),
  }
}

function stepsOf({ episodeId, taskId, opening, steps }: EpisodeFinished): PlayedStep[] {
  return steps.map(({ response, observation }, index) => ({
    ...{ episodeId, taskId, opening },
    ...{ index, response, observation },
  }))
}

function wholeEpisodes(episodes: readonly EpisodeFinished[], stepsPerCall: number): EpisodeFinished[][] {
  const batches: EpisodeFinished[][] = []
  let steps = Infinity
  for (const episode of episodes) {
    if (steps + episode.steps.length > stepsPerCall) {
      batches.push([])
      steps = 0
    }
    batches.at(-1)!.push(episode)
    steps += episode.steps.length
  }
  return batches
}
