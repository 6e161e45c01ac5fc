import type { EpisodeFinished, GroupSummarised } from '../method/events.ts'

/** Outcomes of episodes by task, in the order in which their tasks first ended. */
export function groupSummaries(episodes: Iterable<EpisodeFinished>): Map<string, GroupSummarised> {
  const groups = new Map<string, GroupSummarised>()
  for (const { taskId, policyVersion, outcome, steps } of episodes) {
    const group = groups.get(taskId) ?? { type: 'group-summary', taskId, policyVersion, played: 0, won: 0, steps: 0 }
    group.played++
    group.won += outcome === 1 ? 1 : 0
    group.steps += steps.length
    groups.set(taskId, group)
  }
  return groups
}
