/**
 * A run log made small enough to ship with the page. Drops what only a resumed run or a trainer needs:
 *
 *     evaluation episodes   their accuracy, and the quality of their tests, are events of their own
 *     tokens of a response  ids, log-probabilities, entropies
 *     bodies of tasks       only an environment reads them, except in worlds whose page shows the tasks that were played
 */
import type { LoggedBody, LoggedEvent } from '../method/events.ts'
import type { Task } from '../method/ports.ts'
import { WORLDS } from '../worlds/index.ts'
import { withoutTokens } from './without-tokens.ts'

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4
const roundedOrNull = (value: number | null): number | null => value && rounded(value)

/** Up to and including iteration `last`. Renumbers the events, so that the result is a valid log. */
export function publishedLog(events: readonly LoggedEvent[], last = Infinity): LoggedEvent[] {
  const kept = events.filter((event) => event.iteration <= last && !isOfEvaluation(event))
  const keepsPlayed = kept.some(
    (event) => event.type === 'run-started' && WORLDS[event.settings.world].publishesPlayedTasks,
  )
  const played = new Set(keepsPlayed ? kept.flatMap((event) => (event.type === 'episode' ? [event.taskId] : [])) : [])
  const shown = (task: Task): Task => (played.has(task.id) ? task : { ...task, body: null })
  return kept.map((event, seq) => ({ ...published(event, shown), seq, iteration: event.iteration }))
}

function isOfEvaluation(event: LoggedEvent): boolean {
  return (event.type === 'episode' || event.type === 'tests-written') && event.split !== 'train'
}

function published(event: LoggedEvent, shown: (task: Task) => Task): LoggedBody {
  switch (event.type) {
    case 'episode':
      return { ...event, steps: withoutTokens(event.steps) }
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
