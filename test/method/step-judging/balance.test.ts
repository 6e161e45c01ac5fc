import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ScoredTrajectory } from '../../../src/method/advantages.ts'
import type { Outcome, Score } from '../../../src/method/ports.ts'
import { parseSettings } from '../../../src/method/presets.ts'
import { groupAdvantages } from '../../../src/method/step-judging/advantages.ts'
import { outcomeWeights } from '../../../src/method/step-judging/balance.ts'

const vote = fc.constantFrom<Score>(1, -1)
const trajectory = (outcome: Outcome) =>
  fc.record({
    outcome: fc.constant(outcome),
    scores: fc.array(fc.array(vote, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
  })
const some = (outcome: Outcome) => fc.array(trajectory(outcome), { minLength: 1, maxLength: 4 })
/** At least one success and one failure. */
const mixed = fc
  .tuple(some(1), some(-1))
  .map(([successes, failures]): ScoredTrajectory[] => [...successes, ...failures])

const votesOf = ({ scores }: ScoredTrajectory) => scores.flat()

describe('votes that are weighed by outcome', () => {
  it('have a mean weight of 1, half of it on either outcome', () => {
    fc.assert(
      fc.property(mixed, (group) => {
        const weights = outcomeWeights(group)
        const total = (outcome: Outcome) =>
          group.reduce((sum, each, i) => sum + (each.outcome === outcome ? weights[i]! * votesOf(each).length : 0), 0)
        const half = group.flatMap(votesOf).length / 2
        expect(total(1)).toBeCloseTo(half, 9)
        expect(total(-1)).toBeCloseTo(half, 9)
      }),
    )
  })

  it('estimate μ - 1, whatever share of the votes is on successes', () => {
    fc.assert(
      fc.property(mixed, (group) => {
        const weights = outcomeWeights(group)
        const all = group.flatMap((each, i) => votesOf(each).map((score) => weights[i]! * each.outcome * score))
        const right = (outcome: Outcome) => {
          const votes = group.filter((each) => each.outcome === outcome).flatMap(votesOf)
          return votes.filter((score) => score === outcome).length / votes.length
        }
        const mean = all.reduce((sum, value) => sum + value, 0) / all.length
        expect(mean).toBeCloseTo(right(1) + right(-1) - 1, 9)
      }),
    )
  })

  it('teach nothing where all rollouts ended alike', () => {
    expect(outcomeWeights([{ outcome: 1, scores: [[1, -1]] }])).toEqual([0])
    expect(outcomeWeights([])).toEqual([])
  })

  it('are the unweighed advantages times a weight of their rollout, and none of the policy', () => {
    const settings = { ...parseSettings(), rewardAccuracyLow: 0, rewardAccuracyHigh: 1 }
    fc.assert(
      fc.property(mixed, (group) => {
        const weights = outcomeWeights(group)
        const plain = groupAdvantages(group, settings)
        const balanced = groupAdvantages(group, { ...settings, rewardBalance: 'outcomes' })
        expect(balanced.policy).toEqual(plain.policy)
        expect(balanced.reward).toEqual(
          plain.reward.map((steps, i) => steps.map((values) => values.map((value) => value && weights[i]! * value))),
        )
      }),
    )
  })
})
