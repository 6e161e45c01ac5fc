import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outcome, Score } from '../../../src/method/ports.ts'
import { criticReasonings, MOST_REASONINGS } from '../../../src/method/step-judging/critic-reasonings.ts'

const vote = (score: Score, reasoning: string) => ({ score, reasoning })
const trajectory = (outcome: Outcome, ...votes: ReturnType<typeof vote>[][]) => ({ outcome, votes })

describe('the reasonings that are summarised', () => {
  it('reject steps of failed rollouts for an easier task, and approve steps of solved ones for a harder task', () => {
    const trajectories = [
      trajectory(-1, [vote(-1, 'Nothing is there.'), vote(1, 'It looks.')], [vote(1, 'It went on.')]),
      trajectory(1, [vote(1, 'It took the mug.')], [vote(-1, 'It waits.')]),
    ]
    expect(criticReasonings(trajectories, 'easier')).toEqual([
      { rollout: 0, step: 0, agreeing: 1, votes: 2, text: 'Nothing is there.' },
    ])
    expect(criticReasonings(trajectories, 'harder')).toEqual([
      { rollout: 1, step: 0, agreeing: 1, votes: 1, text: 'It took the mug.' },
    ])
  })

  it('come from every rollout, and first from steps that all votes reject', () => {
    const rollout = (name: string) =>
      trajectory(
        -1,
        ...Array.from({ length: 30 }, (_, step) => [
          vote(-1, `${name}, step ${step}`),
          vote(step % 3 === 0 ? -1 : 1, `${name}, step ${step}, again`),
        ]),
      )
    const chosen = criticReasonings(['a', 'b', 'c', 'd'].map(rollout), 'easier')
    expect(chosen).toHaveLength(MOST_REASONINGS)
    for (const index of [0, 1, 2, 3]) expect(chosen.filter(({ rollout: own }) => own === index)).toHaveLength(3)
    for (const { agreeing, votes } of chosen) expect(agreeing).toBe(votes)
    // Not the first steps of all four.
    expect(new Set(chosen.map(({ step }) => step)).size).toBeGreaterThan(6)
  })

  it('are never more than allowed, never empty and never twice the same', () => {
    const votes = fc.array(
      fc.array(
        fc
          .tuple(fc.constantFrom<Score>(1, -1, 0), fc.constantFrom('', ' ', 'a', 'b', 'c', 'd', 'e'))
          .map(([s, r]) => vote(s, r)),
        { maxLength: 3 },
      ),
      { maxLength: 12 },
    )
    const outcomes = fc.constantFrom<Outcome>(1, -1)
    fc.assert(
      fc.property(
        fc.array(fc.record({ outcome: outcomes, votes }), { maxLength: 6 }),
        fc.constantFrom('harder' as const, 'easier' as const),
        fc.integer({ min: 1, max: 6 }),
        (trajectories, direction, most) => {
          const chosen = criticReasonings(trajectories, direction, most)
          const side = direction === 'easier' ? -1 : 1
          const available = new Set(
            trajectories
              .filter(({ outcome }) => outcome === side)
              .flatMap(({ votes: ofSteps }) =>
                ofSteps.flatMap((step) => {
                  const text = step.find(({ score, reasoning }) => score === side && reasoning.trim() !== '')?.reasoning
                  return text === undefined ? [] : [text]
                }),
              ),
          )
          expect(chosen).toHaveLength(Math.min(most, available.size))
          expect(new Set(chosen.map(({ text }) => text)).size).toBe(chosen.length)
          for (const { rollout, step, text } of chosen) {
            expect(trajectories[rollout]!.outcome).toBe(side)
            expect(trajectories[rollout]!.votes[step]).toContainEqual(vote(side, text))
          }
        },
      ),
    )
  })
})
