import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CRITIC_SUMMARY_MAX_LENGTH } from '../../../src/method/critic-reasons.ts'
import type { Outcome, Score } from '../../../src/method/ports.ts'
import { criticSummary } from '../../../src/method/step-judging/critic-summary.ts'

describe("the critic's summary", () => {
  const trajectory = (outcome: Outcome, ...votes: [Score, string][]) => ({
    outcome,
    votes: votes.map(([score, reasoning]) => [{ score, reasoning }]),
  })
  it('counts reasons of -1 on failed trajectories for an easier task, of +1 on successful ones for a harder task', () => {
    const trajectories = [
      trajectory(
        -1,
        [-1, 'nothing happened'],
        [-1, 'place seen before.'],
        [-1, ' nothing  happened '],
        [1, 'moved on'],
        [0, 'gibberish'],
      ),
      trajectory(1, [1, 'took the mug'], [-1, 'nothing happened']),
    ]
    expect(criticSummary(trajectories, 'easier')).toBe('nothing happened x2; place seen before x1')
    expect(criticSummary(trajectories, 'harder')).toBe('took the mug x1')
    expect(criticSummary([], 'harder')).toBe('')
  })

  it('is one line of limited length that does not depend on order', () => {
    const votes = fc.array(fc.tuple(fc.constantFrom<Score>(1, -1, 0), fc.string({ maxLength: 150 })), { maxLength: 12 })
    const trajectories = fc.array(fc.tuple(fc.constantFrom<Outcome>(1, -1), votes), { maxLength: 8 })
    fc.assert(
      fc.property(trajectories, (entries) => {
        const built = entries.map(([outcome, pairs]) => trajectory(outcome, ...pairs))
        const summary = criticSummary(built, 'easier')
        expect(
          criticSummary(
            built.toReversed().map(({ outcome, votes: v }) => ({ outcome, votes: v.toReversed() })),
            'easier',
          ),
        ).toBe(summary)
        expect(summary.length).toBeLessThanOrEqual(CRITIC_SUMMARY_MAX_LENGTH)
        expect(summary).not.toMatch(/[\r\n]/u)
      }),
    )
  })
})
