/**
 * The tokens of the episodes that a published log keeps (published-log.ts), as a log of their own: a page loads it when a person
 * asks for tokens. Texts are in the published log, so they are left out. A valid log.
 */
import type { EpisodeStep, LoggedEvent } from '../method/events.ts'

/** Log-probabilities and entropies are shown with three decimals. */
const rounded = (value: number): number => Math.round(value * 1e3) / 1e3

const WITHOUT_TEXT = {
  response: '',
  thought: '',
  command: '',
  observation: '',
  trueLabel: null,
  distance: null,
} satisfies Partial<EpisodeStep>

export function tokenExcerpt(events: readonly LoggedEvent[], published: readonly LoggedEvent[]): LoggedEvent[] {
  const kept = new Set(published.flatMap((event) => (event.type === 'episode' ? [event.episodeId] : [])))
  return events
    .flatMap((event): LoggedEvent[] => {
      if (event.type === 'run-started') return [event]
      if (event.type !== 'episode' || !kept.has(event.episodeId)) return []
      const steps = event.steps.map(({ tokens, logProbs, entropies }) => ({
        ...WITHOUT_TEXT,
        tokens,
        logProbs: logProbs.map(rounded),
        entropies: entropies.map(rounded),
      }))
      return [{ ...event, instruction: '', opening: '', steps }]
    })
    .map((event, seq) => ({ ...event, seq }))
}
