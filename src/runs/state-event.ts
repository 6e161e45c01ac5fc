/**
 * What a run that goes on has to remember of its own log: all that loop-state.ts reads, and nothing of what was said. The
 * texts, tokens and votes of an iteration are most of a log, half a megabyte an iteration where programs are written, and
 * they lie in the store.
 */
import type { LoggedEvent } from '../method/events.ts'

/** A copy where something is left out; anything else is the event itself. */
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
    case 'rewrite-proposed':
      return { ...event, criticSummary: '', attempts: [] }
    default:
      return event
  }
}
