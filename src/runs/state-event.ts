/**
 * What a running loop must remember of its own log: all that loop-state.ts reads, without texts, tokens and votes. Those are
 * most of a log, half a megabyte for each iteration of a coding run, and remain in the store.
 */
import type { LoggedEvent } from '../method/events.ts'

/** A copy if something is removed, else the event itself. */
export function stateEvent(event: LoggedEvent): LoggedEvent {
  switch (event.type) {
    case 'episode':
      return { ...event, instruction: '', opening: '', steps: [] }
    case 'judged':
      return { ...event, votes: [] }
    case 'advantages':
      return { ...event, feedback: [], policy: [], reward: [] }
    case 'tests-written':
      return { ...event, tests: [], episodeIds: [], results: [] }
    case 'test-advantages':
      return { ...event, feedback: [], reward: [] }
    case 'rewrite-proposed': {
      const { critic: _, ...rest } = event
      return { ...rest, criticSummary: '', attempts: [] }
    }
    default:
      return event
  }
}
