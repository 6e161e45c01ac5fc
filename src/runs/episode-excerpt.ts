/**
 * The part of a run log that its most telling episode needs (telling-episode.ts): the rollouts of one task in one iteration, with
 * votes, tests and advantages, and how the task came about; and the run's most telling rewrite (telling-rewrite.ts). A valid log of a
 * few kilobytes, so that the page can show them before it has loaded the run.
 */
import type { LoggedEvent } from '../method/events.ts'
import { foldRun } from './fold.ts'
import { publishedLog } from './published-log.ts'
import { tellingEpisode } from './telling-episode.ts'
import { tellingRewrite } from './telling-rewrite.ts'

/** Null if no episode of the run has advantages. */
export function episodeExcerpt(events: readonly LoggedEvent[]): LoggedEvent[] | null {
  const view = foldRun(events)
  const telling = tellingEpisode(view)
  if (telling === null) return null
  const { iteration } = telling.iteration
  const { taskId } = telling.group
  const episodes = new Set(telling.group.episodes.map(({ episode }) => episode.episodeId))
  const rewritten = tellingRewrite(view)?.proposal.candidate
  const shown = [taskId, ...(rewritten ? [rewritten.id] : [])]
  const lineage = new Set(shown.flatMap((id) => view.lineage(id).map(({ task }) => task.id)))
  const isNeeded = (event: LoggedEvent): boolean => {
    switch (event.type) {
      case 'run-started':
        return true
      case 'settings-changed':
        return event.iteration <= iteration
      case 'task-added':
        return lineage.has(event.task.id)
      case 'rewrite-proposed':
        return event.candidate !== null && lineage.has(event.candidate.id)
      case 'iteration-started':
        return event.iteration === iteration
      case 'episode':
      case 'judged':
      case 'advantages':
        return event.iteration === iteration && episodes.has(event.episodeId)
      case 'tests-written':
      case 'test-advantages':
        return event.iteration === iteration && event.taskId === taskId
      case 'rewrite-resolved':
        return lineage.has(event.candidateId)
      default:
        return false
    }
  }
  return publishedLog(events.filter(isNeeded))
}
