/**
 * The tokens of a step with their log-probability, entropy and advantage, which all tokens of a step share. The page keeps no
 * tokens (readable-event.ts), so they are read from the run's log.
 */
import type { EpisodeStep, ModelUpdated } from '../../../method/events.ts'
import { textLines } from '../../../runs/text-lines.ts'
import type { GroupView } from '../../run/trajectories.ts'
import { compact } from '../../kit/format.ts'

export type TokenQuantity = 'logProb' | 'entropy' | 'advantage'

export interface ShownToken {
  text: string
  logProb: number
  entropy: number
  advantage: number | null
  /** Depth of colour, 0 to 1. */
  weights: Record<TokenQuantity, number>
}

/** Nats of full colour. */
const FULL = { logProb: 3, entropy: 2, advantage: 2 } as const

export function shownTokens(
  step: Pick<EpisodeStep, 'tokens' | 'logProbs' | 'entropies'>,
  advantage: number | null,
  decode: (token: number) => string,
): ShownToken[] {
  return step.tokens.map((token, index) => {
    const logProb = step.logProbs[index]!
    const entropy = step.entropies[index]!
    const weight = (quantity: TokenQuantity, value: number) => Math.min(1, Math.abs(value) / FULL[quantity])
    return {
      text: decode(token),
      logProb,
      entropy,
      advantage,
      weights: {
        logProb: weight('logProb', logProb),
        entropy: weight('entropy', entropy),
        advantage: weight('advantage', advantage ?? 0),
      },
    }
  })
}

/** Whether the response of a step trains the policy, and why. Its tokens share one advantage, so all of them train or none. */
export interface TokenTraining {
  /** Null while unknown. */
  trains: boolean | null
  sentence: string
}

/**
 * A response does not train without an advantage, a token, or an update of the policy (method/learning.ts,
 * method/advantages.ts). One that is cut at the token limit trains like any other.
 *
 * `update` is null if the policy was not updated in the iteration, or not yet; `isFinished` says which.
 */
export function tokenTraining(
  group: GroupView,
  rollout: number,
  step: number,
  tokens: number,
  { update, isFinished }: { update: ModelUpdated | null; isFinished: boolean },
): TokenTraining {
  const masked = (why: string): TokenTraining => ({ trains: false, sentence: `Masked: ${why}` })
  if (tokens === 0) return masked('the context was full, so nothing was sampled here.')
  const advantage = group.trajectories[rollout]?.steps[step]?.advantage
  if (advantage === undefined) return { trains: null, sentence: 'Its advantage has not been assigned yet.' }
  const none = tokens === 1 ? 'its one token carries no loss' : `all of its ${tokens} tokens carry no loss`
  const all = tokens === 1 ? 'its one token' : `all of its ${tokens} tokens`
  if (advantage === null) {
    const column = group.trajectories.flatMap((each) => each.steps[step]?.feedback ?? [])
    const spread = Math.max(...column) - Math.min(...column)
    return masked(
      `${none}, for the step has no advantage. ` +
        (column.length < 2
          ? 'No other rollout reached it.'
          : spread < 1e-8
            ? `All ${column.length} rollouts that reached it got the same R.`
            : 'It is exactly average, the accuracy of its task is outside the filter, or its rewrite was rejected.'),
    )
  }
  if (!update) {
    return isFinished
      ? masked(`${none}, for the policy was not updated in this iteration.`)
      : { trains: null, sentence: 'The policy has not been updated with it yet.' }
  }
  // The loop excludes an advantage of exactly 0, but not one that is 0 up to rounding.
  const size = Math.abs(advantage) < 1e-9 ? ', which is 0 but for rounding and moves nothing' : ''
  return {
    trains: true,
    sentence: `Trained: ${all} carried a loss, weighed with A of the step${size}. What the policy had read before, the opening and the observations, is masked.`,
  }
}

/** How far the sampler was from the trainer. The log has this for a whole update, not for a token. */
export function mismatchSentence(update: ModelUpdated | null): string {
  if (!update) return ''
  const { mismatch_kl: mismatch } = update.metrics
  return mismatch === undefined
    ? 'The policy sampled itself: the update took these log-probabilities as they are, so there is no mismatch_kl.'
    : `Another program sampled: mismatch_kl = ${compact(mismatch)} nats a token, over the whole update. What the trainer gave each token is not logged.`
}

/** The steps of the last episode with this id in a log of JSON lines; null if there is none. */
export async function episodeSteps(
  log: ReadableStream<BufferSource>,
  episodeId: string,
  rest: () => Promise<void>,
): Promise<EpisodeStep[] | null> {
  const needle = `"episodeId":${JSON.stringify(episodeId)}`
  let found: EpisodeStep[] | null = null
  for await (const line of textLines(log)) {
    await rest()
    if (!line.includes(needle)) continue
    const event = JSON.parse(line) as { type?: string; episodeId?: string; steps?: EpisodeStep[] }
    if (event.type === 'episode' && event.episodeId === episodeId && event.steps) found = event.steps
  }
  return found
}
