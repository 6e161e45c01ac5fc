/** Counts votes against true labels and outcomes (VoteCounts in events.ts). */
import type { EpisodeFinished, Evaluation, VoteCounts } from '../events.ts'

export function noVoteCounts(): Required<VoteCounts> {
  return {
    goodVotes: 0,
    goodRight: 0,
    badVotes: 0,
    badRight: 0,
    acceptedBadVotes: 0,
    acceptedBadRight: 0,
    outcomeVotesRight: 0,
    trajectories: 0,
    outcomesRight: 0,
  }
}

/** Adds the votes on an episode; `votes[step][evaluation]`. `refused`: the steps whose command the world refused. */
export function countVotes(
  counts: Required<VoteCounts>,
  { steps, outcome }: Pick<EpisodeFinished, 'steps' | 'outcome'>,
  votes: readonly (readonly Evaluation[])[],
  refused: ReadonlySet<number> = new Set(),
): void {
  let sum = 0
  votes.forEach((ofStep, step) => {
    const { trueLabel } = steps[step]!
    for (const { score } of ofStep) sum += score
    // A world may not tell which steps are good.
    if (trueLabel === null) return
    const kinds =
      trueLabel === 1 ? (['good'] as const) : refused.has(step) ? (['bad'] as const) : (['bad', 'acceptedBad'] as const)
    for (const { score } of ofStep) {
      for (const kind of kinds) {
        counts[`${kind}Votes`]++
        if (score === trueLabel) counts[`${kind}Right`]++
      }
      if (score === outcome) counts.outcomeVotesRight++
    }
  })
  counts.trajectories++
  if (Math.sign(sum) === outcome) counts.outcomesRight++
}
