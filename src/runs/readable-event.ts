/**
 * An event as people look at it: without token ids, log-probabilities and entropies, which only learning needs, and of
 * held-out tasks without what was said, which only their accuracy is made of. That is two thirds of a log where programs are
 * written. The page holds hundreds of iterations, so it holds them like this; files and stores keep everything.
 */
import type { RunEvent } from '../method/events.ts'

/** A copy where something is left out; anything else is the event itself. */
export function readableEvent<E extends RunEvent>(event: E): E {
  if (event.type === 'episode') {
    if (event.split !== 'train') return { ...event, opening: '', steps: [] }
    return { ...event, steps: event.steps.map((step) => ({ ...step, tokens: [], logProbs: [], entropies: [] })) }
  }
  if (event.type === 'tests-written' && event.split !== 'train') {
    return { ...event, tests: [], episodeIds: [], results: [] }
  }
  return event
}
