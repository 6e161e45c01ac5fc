/**
 * What a vote's advantage does to the votes on its step. With p the probability of +1 and z = log p / (1 - p),
 *
 *     d/dz A log π(S) = A · S · (1 - π(S))      > 0: pushed towards +1
 *
 * The other votes on the step, drawn from the same π, estimate 1 - π(S) without bias: the share of them that differ from S. So a
 * unanimous step pushes nowhere, whatever its advantage. S is the vote that the model wrote: a flipped one (../vote-flips.ts) earns the
 * feedback of its opposite, and the tokens that learn are its own.
 */
import type { Score } from '../ports.ts'
import type { AdvantagedEvidence } from '../reward-strategy.ts'
import { writtenScore } from '../vote-flips.ts'
import type { VoteEvidence } from './evidence.ts'

/** Sum over the votes of one step, as they were written; 0 with fewer than two readable ones. `advantages[j]` is null if vote j does not train. */
export function stepPush(scores: readonly Score[], advantages: readonly (number | null)[]): number {
  const readable = scores.filter((score) => score !== 0)
  if (readable.length < 2) return 0
  return scores.reduce<number>((sum, score, j) => {
    if (score === 0) return sum
    const differing = readable.filter((other) => other !== score).length
    return sum + (advantages[j] ?? 0) * score * (differing / (readable.length - 1))
  }, 0)
}

/** Mean over the votes that train; null if none does. Above zero, they move the judge towards +1 whatever is true. */
export function meanPush(training: readonly AdvantagedEvidence<VoteEvidence>[]): number | null {
  let [push, votes] = [0, 0]
  for (const { evidence, advantages } of training)
    for (const [rollout, { votes: cast }] of evidence.episodes.entries())
      for (const [step, ofStep] of advantages.reward[rollout]!.entries()) {
        votes += ofStep.filter((advantage) => advantage !== null).length
        push += stepPush((cast[step] ?? []).map(writtenScore), ofStep)
      }
  return votes > 0 ? push / votes : null
}
