/**
 * The reward model's m evaluations of every step of every episode:
 *
 *     prompt of step k = encode(opening) + Σ_{i≤k} encode(step_i) + encode(cue)
 *
 * The pieces are encoded one by one, so the prompts of an episode share their beginnings token by token. Each generate call
 * takes whole episodes, up to a limit, so that progress shows and memory stays flat.
 */
import type { EpisodeFinished, EpisodeJudged, Evaluation, PhaseProgressed } from '../events.ts'
import type { LanguageModelPort, StepJudgeFormat, Tokens } from '../ports.ts'
import { deriveSeed } from '../random.ts'
import type { AskOptions, Sampling } from '../reward-strategy.ts'
import { joinTokens } from '../rollout.ts'
import type { TrainingSample } from '../training-sample.ts'
import { flippedVote, isFlipped } from '../vote-flips.ts'

/** Most step prompts in one generate call, unless a single episode has more. */
export const STEPS_PER_CALL = 256

export interface Judgement extends Sampling {
  /** votes[step][evaluation] */
  votes: Evaluation[][]
  /** samples[step][evaluation] */
  samples: TrainingSample[][]
}

/** Yields each episode's votes when they arrive. Returns the judgements in the order of the episodes. */
export async function* judge(
  reward: LanguageModelPort,
  format: StepJudgeFormat,
  episodes: readonly EpisodeFinished[],
  options: AskOptions,
): AsyncGenerator<EpisodeJudged | PhaseProgressed, Judgement[], void> {
  const judgements: Judgement[] = []
  yield { type: 'progress', phase: 'judge', done: 0, total: episodes.length }
  for (const batch of wholeEpisodes(episodes, STEPS_PER_CALL)) {
    options.signal?.throwIfAborted()
    const prompts = await stepPrompts(reward, format, batch)
    const requests = batch.flatMap((episode, index) =>
      prompts[index]!.map((prompt, step) => ({
        prompt,
        count: options.evaluationsPerStep,
        seed: deriveSeed(options.seed, episode.episodeId, step),
        affinity: episode.episodeId,
      })),
    )
    const completions = await reward.generate(
      requests,
      { temperature: options.temperature, topP: options.topP, maxTokens: format.maxTokens },
      options.signal,
    )
    let next = 0
    for (const [index, episode] of batch.entries()) {
      const judgement: Judgement = { votes: [], samples: [], entropySum: 0, tokenCount: 0 }
      for (const [step, prompt] of prompts[index]!.entries()) {
        const evaluations = completions[next++]
        if (!evaluations) throw new Error(`The reward model returned no evaluations for episode ${episode.episodeId}.`)
        judgement.votes.push(
          evaluations.map(({ text }, position) => {
            const { reasoning, score } = format.parse(text)
            const vote: Evaluation = { score, reasoning }
            return isFlipped(options, episode.episodeId, step, position) ? flippedVote(vote) : vote
          }),
        )
        judgement.samples.push(
          evaluations.map(({ tokens, logProbs }) => ({ prompt, response: tokens, oldLogProbs: logProbs })),
        )
        for (const { entropies } of evaluations) {
          judgement.entropySum += entropies.reduce((sum, entropy) => sum + entropy, 0)
          judgement.tokenCount += entropies.length
        }
      }
      judgements.push(judgement)
      yield {
        type: 'judged',
        episodeId: episode.episodeId,
        rewardVersion: options.rewardVersion,
        votes: judgement.votes,
      }
    }
    yield { type: 'progress', phase: 'judge', done: judgements.length, total: episodes.length }
  }
  return judgements
}

/** prompts[episode][step] */
async function stepPrompts(
  reward: LanguageModelPort,
  format: StepJudgeFormat,
  episodes: readonly EpisodeFinished[],
): Promise<Tokens[][]> {
  const texts = [
    format.cue,
    ...episodes.flatMap(({ opening, steps }) => [
      format.opening(opening),
      ...steps.map(({ response, observation }) => format.step({ response, observation })),
    ]),
  ]
  // Openings recur in a group and steps recur in a run: each distinct text is encoded once.
  const distinct = [...new Set(texts)]
  const encoded = await reward.encode(distinct)
  const tokensOf = new Map(distinct.map((text, index) => [text, encoded[index]!]))
  const cue = tokensOf.get(format.cue)!
  return episodes.map(({ opening, steps }) => {
    let transcript = tokensOf.get(format.opening(opening))!
    return steps.map(({ response, observation }) => {
      transcript = joinTokens(transcript, tokensOf.get(format.step({ response, observation }))!)
      return joinTokens(transcript, cue)
    })
  })
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
