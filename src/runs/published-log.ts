/**
 * A run log made small enough to ship with the page. Drops what only a resumed run or a trainer needs:
 *
 *     evaluation episodes   their accuracy, and the quality of their tests, are events of their own
 *     tokens of a response  ids, log-probabilities, entropies
 *     bodies of tasks       only an environment reads them, except in worlds whose page shows the tasks that were played
 *
 * and, on request, the episodes of all but a few tasks of each iteration: their outcomes stay (`group-summary`).
 */
import type { EpisodeFinished, GroupSummarised, LoggedBody, LoggedEvent } from '../method/events.ts'
import type { Task } from '../method/ports.ts'
import { WORLDS } from '../worlds/index.ts'
import { groupSummaries } from './group-summaries.ts'
import { withoutTokens } from './without-tokens.ts'

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4
const roundedOrNull = (value: number | null): number | null => value && rounded(value)

interface Sample {
  /** The last iteration; all by default. */
  last?: number
  /** Tasks, and candidates, of each iteration whose episodes are kept: those solved most nearly half the time; all by default. */
  groups?: number
  /** Iterations of which episodes are kept: the first, and every so many; 1 by default. */
  every?: number
}

/** Renumbers the events, so that the result is a valid log. */
export function publishedLog(
  events: readonly LoggedEvent[],
  { last = Infinity, groups = Infinity, every = 1 }: Sample = {},
): LoggedEvent[] {
  const kept = sampled(
    events.filter((event) => event.iteration <= last && !isOfEvaluation(event)),
    (iteration) => (iteration === 1 || iteration % every === 0 ? groups : 0),
  )
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

/** Without the episodes, votes, tests and advantages of most groups; a summary stands where the first of them ended. */
function sampled(events: readonly LoggedEvent[], groupsOf: (iteration: number) => number): LoggedEvent[] {
  const summaries = summariesOfStarts(events).values()
  let isKept = (_taskId: string): boolean => true
  let ofIteration: ReadonlyMap<string, GroupSummarised> = new Map()
  const summarised = new Set<GroupSummarised>()
  const taskOf = new Map<string, string>()
  return events.flatMap((event): LoggedEvent[] => {
    switch (event.type) {
      case 'iteration-started': {
        const { taskIds, pendingTaskIds, remeasuredTaskIds = [] } = event
        ofIteration = summaries.next().value!
        const doubt = (taskId: string) => Math.abs(shareOf(ofIteration.get(taskId)) - 0.5)
        const telling = (ids: readonly string[]) =>
          [...ids].sort((a, b) => doubt(a) - doubt(b)).slice(0, groupsOf(event.iteration))
        const chosen = new Set([taskIds, pendingTaskIds, remeasuredTaskIds].flatMap(telling))
        isKept = (taskId) => chosen.has(taskId)
        taskOf.clear()
        return [event]
      }
      case 'episode': {
        const { taskId, seq, iteration } = event
        taskOf.set(event.episodeId, taskId)
        if (isKept(taskId)) return [event]
        const summary = ofIteration.get(taskId)!
        if (summarised.has(summary)) return []
        summarised.add(summary)
        return [{ ...summary, seq, iteration }]
      }
      case 'judged':
      case 'advantages':
        return isKept(taskOf.get(event.episodeId) ?? '') ? [event] : []
      case 'tests-written':
      case 'test-advantages':
        return isKept(event.taskId) ? [event] : []
      default:
        return [event]
    }
  })
}

const shareOf = (group: GroupSummarised | undefined): number => (group ? group.won / group.played : 0)

/** By task, for each time that an iteration starts: an interrupted one starts again. */
function summariesOfStarts(events: readonly LoggedEvent[]): ReadonlyMap<string, GroupSummarised>[] {
  const starts: EpisodeFinished[][] = []
  for (const event of events) {
    if (event.type === 'iteration-started') starts.push([])
    if (event.type === 'episode') starts.at(-1)?.push(event)
  }
  return starts.map(groupSummaries)
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
