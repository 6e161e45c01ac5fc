/** The training rollouts of a run's beginning and end, with their votes and advantages, from its log. */
import type { EpisodeFinished, Evaluation, LoggedEvent } from '../../method/events.ts'
import { isWithoutEffect } from '../../runs/telling-episode.ts'
import { WORLDS } from '../../worlds/index.ts'
import { armOf, iterationsOf } from './run-start.ts'

/** The first and the last quarter of a run's iterations. */
export const QUARTERS = ['first', 'last'] as const
export type Quarter = (typeof QUARTERS)[number]

export interface JudgedRollout {
  quarter: Quarter
  steps: EpisodeFinished['steps']
  outcome: EpisodeFinished['outcome']
  /** votes[step][evaluation]; null if the rollout was not judged. */
  votes: readonly (readonly Evaluation[])[] | null
  /** policy[step] and reward[step][evaluation]; null if it does not train. */
  policy: readonly (number | null)[]
  reward: readonly (readonly (number | null)[])[]
}

export interface JudgedRun {
  arm: string
  rollouts: JudgedRollout[]
}

/** Throws RangeError if the log has no start. */
export function judgedRun(events: readonly LoggedEvent[]): JudgedRun {
  const arm = armOf(events)
  const iterations = iterationsOf(events)
  const quarterOf = (iteration: number): Quarter | null =>
    iteration <= iterations / 4 ? 'first' : iteration > (iterations * 3) / 4 ? 'last' : null
  const played = new Map<string, EpisodeFinished>()
  const judged = new Map<string, JudgedRollout['votes']>()
  const rollouts: JudgedRollout[] = []
  for (const event of events) {
    if (event.type === 'episode') {
      // Each iteration refers to its own episodes alone.
      if (event.split === 'train' && quarterOf(event.iteration) !== null) played.set(event.episodeId, event)
    } else if (event.type === 'judged') {
      judged.set(event.episodeId, event.votes)
    } else if (event.type === 'advantages') {
      const { episodeId, policy, reward } = event
      const episode = played.get(episodeId)
      if (episode) {
        const { steps, outcome } = episode
        const votes = judged.get(episodeId) ?? null
        rollouts.push({ quarter: quarterOf(event.iteration)!, steps, outcome, votes, policy, reward })
      }
      played.delete(episodeId)
      judged.delete(episodeId)
    }
  }
  return { arm, rollouts }
}

/** What the worlds of steps say to a command without effect. */
const REFUSALS = Object.values(WORLDS).flatMap(({ noEffect }) => noEffect ?? [])

export function isRefused({ observation }: { observation: string }): boolean {
  return REFUSALS.some((said) => isWithoutEffect({ observation }, said))
}
