/** The part of a run log that shows one split's held-out tasks before and after training. A valid log. */
import type { LoggedEvent } from '../method/events.ts'
import { HeldOutReader } from './held-out-games.ts'
import { withoutTokens } from './without-tokens.ts'

/** Null if the run has not evaluated twice. */
export function heldOutExcerpt(events: readonly LoggedEvent[], split: 'id' | 'ood'): LoggedEvent[] | null {
  const reader = new HeldOutReader()
  for (const event of events) reader.take(event)
  const games = reader.games()
  if (games.length < 2) return null
  const iterations = new Set(games.map(({ iteration }) => iteration))
  const played = new Set(games.flatMap(({ episodes }) => episodes.map(({ episodeId }) => episodeId)))
  return events
    .flatMap((event): LoggedEvent[] => {
      if (event.type === 'run-started') return [event]
      if (event.type === 'evaluation')
        return event.split === split && event.serves !== 'training' && iterations.has(event.iteration) ? [event] : []
      if (event.type !== 'episode' || event.split !== split || !played.has(event.episodeId)) return []
      return [{ ...event, steps: withoutTokens(event.steps) }]
    })
    .map((event, seq) => ({ ...event, seq }))
}
