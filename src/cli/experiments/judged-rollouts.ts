/** The training rollouts of a run's beginning and end, with their votes and advantages, from its log. */
import type { EpisodeFinished, LoggedEvent } from '../../method/events.ts'
import type { Score } from '../../method/ports.ts'
import { isWithoutEffect } from '../../runs/telling-episode.ts'
import { WORLDS } from '../../worlds/index.ts'
import { startOf } from './run-start.ts'

/** The first and the last quarter of a run's iterations. */
export const QUARTERS = ['first', 'last'] as const
export type Quarter = (typeof QUARTERS)[number]

export interface JudgedRollout {
  quarter: Quarter
  steps: EpisodeFinished['steps']
  outcome: EpisodeFinished['outcome']
  /** scores[step][evaluation]; null if the rollout was not judged. */
  scores: Score[][] | null
  /** policy[step] and reward[step][evaluation]; null if it does not train. */
  policy: readonly (number | null)[]
  reward: readonly (readonly (number | null)[])[]
}

export interface JudgedRun {
  preset: string
  rollouts: JudgedRollout[]
}

/** Throws RangeError if the log has no start. */
export function judgedRun(events: readonly LoggedEvent[]): JudgedRun {
  const { preset } = startOf(events)
  const iterations = events.reduce((last, { iteration }) => Math.max(last, iteration), 0)
  const quarterOf = (iteration: number): Quarter | null =>
    iteration <= iterations / 4 ? 'first' : iteration > (iterations * 3) / 4 ? 'last' : null
  const played = new Map<string, EpisodeFinished>()
  const votes = new Map<string, Score[][]>()
  const rollouts: JudgedRollout[] = []
  for (const event of events) {
    if (event.type === 'episode') {
      // Each iteration refers to its own episodes alone.
      if (event.split === 'train' && quarterOf(event.iteration) !== null) played.set(event.episodeId, event)
    } else if (event.type === 'judged') {
      const scores = event.votes.map((ofStep) => ofStep.map(({ score }) => score))
      votes.set(event.episodeId, scores)
    } else if (event.type === 'advantages') {
      const { episodeId, policy, reward } = event
      const episode = played.get(episodeId)
      if (episode) {
        const { steps, outcome } = episode
        const scores = votes.get(episodeId) ?? null
        rollouts.push({ quarter: quarterOf(event.iteration)!, steps, outcome, scores, policy, reward })
      }
      played.delete(episodeId)
      votes.delete(episodeId)
    }
  }
  return { preset, rollouts }
}

/** What the worlds of steps say to a command without effect. */
const REFUSALS = Object.values(WORLDS).flatMap(({ noEffect }) => noEffect ?? [])

export function isRefused({ observation }: { observation: string }): boolean {
  return REFUSALS.some((said) => isWithoutEffect({ observation }, said))
}
