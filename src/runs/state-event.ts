/**
 * What a running loop must remember of its own log: all that loop-state.ts reads, without texts, tokens, votes and most metrics.
 * Those are most of a log, half a megabyte for each iteration of a coding run, and remain in the store.
 */
import type { LoggedEvent } from '../method/events.ts'

/** One for all events, because a run of 500 iterations has half a million. */
const NONE = Object.freeze([]) as never[]
/** Totals since the run began. */
const TOTALS = ['training/env_steps', 'training/num_tokens', 'rollout/total'] as const

/** A copy if something is removed, else the event itself. */
export function stateEvent(event: LoggedEvent): LoggedEvent {
  switch (event.type) {
    case 'episode':
      return { ...event, episodeId: '', instruction: '', opening: '', steps: NONE }
    case 'judged':
      return { ...event, episodeId: '', votes: NONE }
    case 'advantages':
      return { ...event, episodeId: '', feedback: NONE, policy: NONE, reward: NONE }
    case 'tests-written':
      return { ...event, tests: NONE, episodeIds: NONE, results: NONE }
    case 'test-advantages':
      return { ...event, feedback: NONE, reward: NONE }
    case 'rewrite-proposed': {
      const { critic: _, ...rest } = event
      return { ...rest, criticSummary: '', attempts: NONE }
    }
    case 'iteration-finished': {
      const { metrics } = event
      const kept = TOTALS.filter((name) => metrics[name] !== undefined)
      return { ...event, metrics: Object.fromEntries(kept.map((name) => [name, metrics[name]!])) }
    }
    default:
      return event
  }
}
