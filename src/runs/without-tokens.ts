/** Token ids, log-probabilities and entropies are most of a log, and only learning and statistics of tokens read them. */
import type { EpisodeStep } from '../method/events.ts'

export function withoutTokens(steps: readonly EpisodeStep[]): EpisodeStep[] {
  return steps.map((step) => ({ ...step, tokens: [], logProbs: [], entropies: [] }))
}
