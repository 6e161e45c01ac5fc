/** The recorded episode with votes and true labels that the reader has turned around, and what follows from them. */
import type { Score } from '../../../method/ports.ts'
import { groupAdvantages } from '../../../method/step-judging/advantages.ts'
import type { BatchGroup } from '../../../runs/batch.ts'
import type { TellingEpisode } from '../../../runs/telling-episode.ts'

export interface Changes {
  /** Turned votes of the episode, as "step/evaluation". */
  votes: ReadonlySet<string>
  /** Steps whose true label is turned. */
  labels: ReadonlySet<number>
}

export const NO_CHANGES: Changes = { votes: new Set(), labels: new Set() }

export const voteKey = (step: number, evaluation: number): string => `${step}/${evaluation}`

/** The set with the item, or without it if it was there. */
export function toggled<Item>(items: ReadonlySet<Item>, item: Item): ReadonlySet<Item> {
  const next = new Set(items)
  if (!next.delete(item)) next.add(item)
  return next
}

/** The arithmetic is the loop's own. The other rollouts keep their votes, with which these are compared. */
export function withChanges(telling: TellingEpisode, { votes, labels }: Changes): TellingEpisode {
  const { group, trajectory } = telling
  const turned = (score: Score, step: number, evaluation: number): Score =>
    votes.has(voteKey(step, evaluation)) && score !== 0 ? (-score as Score) : score
  const scores = group.scores.map((steps, i) =>
    i === trajectory ? steps.map((step, k) => step.map((score, j) => turned(score, k, j))) : steps,
  )
  const episodes = group.episodes.map((view, i): BatchGroup['episodes'][number] => {
    if (i !== trajectory) return view
    const steps = view.episode.steps.map((step, k) =>
      labels.has(k) && step.trueLabel !== null
        ? { ...step, trueLabel: step.trueLabel === 1 ? (-1 as const) : (1 as const) }
        : step,
    )
    return {
      ...view,
      episode: { ...view.episode, steps },
      votes:
        view.votes?.map((step, k) => step.map((vote, j) => ({ ...vote, score: turned(vote.score, k, j) }))) ?? null,
    }
  })
  const trajectories = group.outcomes.map((outcome, i) => ({ outcome, scores: scores[i]! }))
  return {
    ...telling,
    group: { ...group, scores, episodes, derive: (settings) => groupAdvantages(trajectories, settings) },
  }
}
