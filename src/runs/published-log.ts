/**
 * A run log made small enough to come with the page: what a visitor sees of a run stays, what only a resumed run or a
 * trainer needs goes.
 *
 *     evaluation episodes   their accuracy is an event of its own
 *     tokens of a response  ids, log-probabilities, entropies
 *     bodies of tasks       only an environment reads them
 */
import type { LoggedBody, LoggedEvent } from '../method/events.ts'
import type { Task } from '../method/ports.ts'

const withoutBody = (task: Task): Task => ({ ...task, body: null })
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4

/** Up to and with iteration `last`. Events are numbered anew, so that the result is a log like any other. */
export function publishedLog(events: readonly LoggedEvent[], last = Infinity): LoggedEvent[] {
  return events
    .filter((event) => event.iteration <= last && (event.type !== 'episode' || event.split === 'train'))
    .map((event, seq) => ({ ...published(event), seq, iteration: event.iteration }))
}

function published(event: LoggedEvent): LoggedBody {
  switch (event.type) {
    case 'episode':
      return { ...event, steps: event.steps.map((step) => ({ ...step, tokens: [], logProbs: [], entropies: [] })) }
    case 'task-added':
      return { ...event, task: withoutBody(event.task) }
    case 'rewrite-proposed':
      return { ...event, candidate: event.candidate && withoutBody(event.candidate) }
    case 'advantages':
      return {
        ...event,
        feedback: event.feedback.map(rounded),
        policy: event.policy.map((advantage) => advantage && rounded(advantage)),
        reward: event.reward.map((step) => step.map((advantage) => advantage && rounded(advantage))),
      }
    default:
      return event
  }
}
