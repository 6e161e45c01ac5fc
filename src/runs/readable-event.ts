/**
 * An event as people look at it: without token ids, log-probabilities and entropies, which only learning needs and which
 * are most of a log. The page holds hundreds of iterations, so it holds them like this; files and stores keep everything.
 */
import type { RunEvent } from '../method/events.ts'

/** A copy where something is left out; anything else is the event itself. */
export function readableEvent<E extends RunEvent>(event: E): E {
  if (event.type !== 'episode') return event
  return { ...event, steps: event.steps.map((step) => ({ ...step, tokens: [], logProbs: [], entropies: [] })) }
}
