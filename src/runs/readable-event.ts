/**
 * An event as the page reads it: without token ids, log-probabilities and entropies, which only learning needs, and without
 * the texts of held-out tasks, of which it shows only the accuracy. In a coding run that saves two thirds of the log, so the
 * page can hold hundreds of iterations. Files and stores keep everything.
 */
import type { RunEvent } from '../method/events.ts'
import { withoutTokens } from './without-tokens.ts'

/** A copy if something is removed, else the event itself. */
export function readableEvent<E extends RunEvent>(event: E): E {
  if (event.type === 'episode') {
    if (event.split !== 'train') return { ...event, opening: '', steps: [] }
    return { ...event, steps: withoutTokens(event.steps) }
  }
  if (event.type === 'tests-written' && event.split !== 'train') {
    return { ...event, tests: [], episodeIds: [], results: [] }
  }
  return event
}
