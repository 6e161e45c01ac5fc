/**
 * A run log made small enough to come with the page: what a visitor sees of a run stays, what only a resumed run or a
 * trainer needs goes.
 *
 *     evaluation episodes   their accuracy is an event of its own, and so is what their tests were worth
 *     tokens of a response  ids, log-probabilities, entropies
 *     bodies of tasks       only an environment reads them; but a problem is shown, where a program was written for it
 */
import type { LoggedBody, LoggedEvent } from '../method/events.ts'
import type { Task } from '../method/ports.ts'

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4
const roundedOrNull = (value: number | null): number | null => value && rounded(value)

/** Up to and with iteration `last`. Events are numbered anew, so that the result is a log like any other. */
export function publishedLog(events: readonly LoggedEvent[], last = Infinity): LoggedEvent[] {
  const kept = events.filter((event) => event.iteration <= last && !isOfEvaluation(event))
  const isCoding = kept.some((event) => event.type === 'run-started' && event.settings.world === 'coding')
  const played = new Set(isCoding ? kept.flatMap((event) => (event.type === 'episode' ? [event.taskId] : [])) : [])
  const shown = (task: Task): Task => (played.has(task.id) ? task : { ...task, body: null })
  return kept.map((event, seq) => ({ ...published(event, shown), seq, iteration: event.iteration }))
}

function isOfEvaluation(event: LoggedEvent): boolean {
  return (event.type === 'episode' || event.type === 'tests-written') && event.split !== 'train'
}

function published(event: LoggedEvent, shown: (task: Task) => Task): LoggedBody {
  switch (event.type) {
    case 'episode':
      return { ...event, steps: event.steps.map((step) => ({ ...step, tokens: [], logProbs: [], entropies: [] })) }
    case 'task-added':
      return { ...event, task: shown(event.task) }
    case 'rewrite-proposed':
      return { ...event, candidate: event.candidate && shown(event.candidate) }
    case 'advantages':
      return {
        ...event,
        feedback: event.feedback.map(rounded),
        policy: event.policy.map(roundedOrNull),
        reward: event.reward.map((step) => step.map(roundedOrNull)),
      }
    case 'test-advantages':
      return { ...event, feedback: event.feedback.map(rounded), reward: event.reward.map(roundedOrNull) }
    default:
      return event
  }
}
