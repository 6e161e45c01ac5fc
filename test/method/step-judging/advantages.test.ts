import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { standardise, type AdvantageSettings, type ScoredTrajectory } from '../../../src/method/advantages.ts'
import type { Outcome, Score } from '../../../src/method/ports.ts'
import { parseSettings } from '../../../src/method/presets.ts'
import { groupAdvantages } from '../../../src/method/step-judging/advantages.ts'

const reference: AdvantageSettings = parseSettings({}, 'reference')
/** Without filters on accuracy. */
const open: AdvantageSettings = {
  ...reference,
  policyAccuracyLow: 0,
  policyAccuracyHigh: 1,
  rewardAccuracyLow: 0,
  rewardAccuracyHigh: 1,
}
const paper: AdvantageSettings = { ...parseSettings(), rewardAccuracyLow: 0, rewardAccuracyHigh: 1 }

const trajectory = fc.record({
  outcome: fc.constantFrom<Outcome>(1, -1),
  scores: fc.array(fc.array(fc.constantFrom<Score>(1, -1, 0), { minLength: 3, maxLength: 3 }), {
    minLength: 1,
    maxLength: 4,
  }),
})
const group = fc.array(trajectory, { minLength: 2, maxLength: 8 })

/** The reward model's advantages of one step, judged on its own. */
const ofVotes = (outcome: Outcome, votes: Score[], settings = open) =>
  groupAdvantages([{ outcome, scores: [votes] }], settings).reward[0]![0]!.map((value) =>
    value === null ? null : Number(value.toFixed(3)),
  )

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const std = (values: readonly number[]) => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)))

describe('the released arithmetic', () => {
  it.each<[Outcome, Score[], number[] | null]>([
    [1, [1, 1, -1], [0.707, 0.707, -1.414]],
    [-1, [1, 1, -1], [-0.707, -0.707, 1.414]],
    [1, [1, -1, -1], [1.414, -0.707, -0.707]],
    [-1, [1, -1, -1], [-1.414, 0.707, 0.707]],
    [1, [1, -1, 0], [1.336, -0.267, -1.069]],
    [-1, [1, -1, 0], [-0.267, 1.336, -1.069]],
    [1, [1, 1, 0], [0.707, 0.707, -1.414]],
    [-1, [1, 1, 0], [0.707, 0.707, -1.414]],
    [1, [-1, -1, 0], [0.707, 0.707, -1.414]],
    [-1, [-1, -1, 0], [0.707, 0.707, -1.414]],
    [1, [1, 0, 0], [1.414, -0.707, -0.707]],
    [-1, [1, 0, 0], [1.414, -0.707, -0.707]],
    [1, [1, 1, 1], null],
    [-1, [1, 1, 1], null],
    [1, [0, 0, 0], null],
  ])('gives the reward model, at outcome %i and votes %j, %j', (outcome, votes, expected) => {
    expect(ofVotes(outcome, votes)).toEqual(expected ?? votes.map(() => null))
  })

  it('lets the majority outweigh the outcome above λ = 3, and drops the step at 3', () => {
    expect(ofVotes(1, [1, -1, -1], { ...open, lambda: 4 })).toEqual([-1.414, 0.707, 0.707])
    expect(ofVotes(1, [1, -1, -1], { ...open, lambda: 3 })).toEqual([null, null, null])
  })

  // Mean votes of 1, 1/3, -1/3 and -1 as three votes each.
  const votes = (positive: number): Score[] => [0, 1, 2].map((index) => (index < positive ? 1 : -1))
  const published: ScoredTrajectory[] = [
    { outcome: 1, scores: [votes(3), votes(2)] },
    { outcome: -1, scores: [votes(3), votes(1), votes(0)] },
    { outcome: -1, scores: [votes(0), votes(0), votes(1), votes(2)] },
    { outcome: 1, scores: [votes(2), votes(3)] },
  ]
  it.each([
    [
      1,
      [
        [1.0911, 0.7845],
        [-0.2182, -0.7845, -1],
        [-1.5275, -1.1767, 1, -0.6667],
        [0.6547, 1.1767],
      ],
    ],
    [
      2,
      [
        [1.0435, 0.6868],
        [0.1491, -0.6868, -1],
        [-1.6398, -1.2362, 1, -0.3333],
        [0.4472, 1.2362],
      ],
    ],
  ])('gives the policy, at λ = %i, the advantages of the worked example', (lambda, expected) => {
    const { policy } = groupAdvantages(published, { ...reference, lambda })
    expect(policy.map((steps) => steps.map((value) => Number(value!.toFixed(4))))).toEqual(expected)
  })

  it('keeps the raw feedback of a single survivor, for which the formula gives no signal', () => {
    expect(groupAdvantages(published, reference).policy[2]![3]).toBeCloseTo(-2 / 3, 12)
    expect(groupAdvantages(published, { ...reference, singleSurvivor: 'zero' }).policy[2]![3]).toBeNull()
  })
})

describe('standardising', () => {
  it('gives mean 0 and standard deviation 1, or all 0 if nothing differs', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.integer({ min: -20, max: 20 }).map((value) => value / 6),
          { minLength: 1, maxLength: 20 },
        ),
        (values) => {
          const result = standardise(values, true)
          expect(mean(result)).toBeCloseTo(0, 9)
          if (new Set(values).size === 1) expect(result.every((value) => value === 0)).toBe(true)
          else expect(std(result)).toBeCloseTo(1, 9)
        },
      ),
    )
  })

  it('is invariant to scale and shift, or only to shift without the division', () => {
    const values = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 2, maxLength: 12 })
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 50 }), fc.integer({ min: -50, max: 50 }), (raw, scale, shift) => {
        const moved = raw.map((value) => value * scale + shift)
        const close = (a: number[], b: number[]) => {
          a.forEach((value, index) => {
            expect(value).toBeCloseTo(b[index]!, 8)
          })
        }
        close(standardise(moved, true), standardise(raw, true))
        close(
          standardise(moved, false),
          standardise(raw, false).map((value) => value * scale),
        )
      }),
    )
  })
})

describe("a group's advantages", () => {
  it('have mean 0 and standard deviation 1 at every step index', () => {
    fc.assert(
      fc.property(group, (trajectories) => {
        const { policy, feedback } = groupAdvantages(trajectories, paper)
        const longest = Math.max(...feedback.map((steps) => steps.length))
        for (let step = 0; step < longest; step++) {
          const values = policy.filter((steps) => steps.length > step).map((steps) => steps[step] ?? 0)
          expect(mean(values)).toBeCloseTo(0, 9)
          if (values.some((value) => value !== 0)) expect(std(values)).toBeCloseTo(1, 9)
        }
      }),
    )
  })

  it.each(['vote', 'step', 'task'] as const)(
    'of the reward model have mean 0 over each set of grouping "%s"',
    (rewardGrouping) => {
      fc.assert(
        fc.property(group, (trajectories) => {
          const { reward } = groupAdvantages(trajectories, { ...paper, rewardGrouping })
          const sets = new Map<string, number[]>()
          reward.forEach((steps, index) => {
            steps.forEach((evaluations, step) => {
              const key = { vote: `${index}/${step}`, step: `${step}`, task: '' }[rewardGrouping]
              sets.set(key, [...(sets.get(key) ?? []), ...evaluations.map((value) => value ?? 0)])
            })
          })
          for (const values of sets.values()) expect(mean(values)).toBeCloseTo(0, 9)
        }),
      )
    },
  )

  it('do not depend on the order of the trajectories', () => {
    fc.assert(
      fc.property(group, (trajectories) => {
        const forward = groupAdvantages(trajectories, paper)
        const backward = groupAdvantages(trajectories.toReversed(), paper)
        const flat = (steps: (number | null)[][]) => steps.flat().map((value) => Number((value ?? 0).toFixed(9)) + 0)
        expect(flat(backward.policy.toReversed())).toEqual(flat(forward.policy))
        expect(flat(backward.reward.toReversed().flat())).toEqual(flat(forward.reward.flat()))
      }),
    )
  })

  it('equal those of the outcome alone at λ = 0', () => {
    fc.assert(
      fc.property(group, (trajectories) => {
        expect(groupAdvantages(trajectories, { ...paper, lambda: 0 }).policy).toEqual(
          groupAdvantages(trajectories, { ...paper, signal: 'outcome' }).policy,
        )
      }),
    )
  })

  it('train a role only inside its accuracy filter, edges included', () => {
    const solved = (count: number): ScoredTrajectory[] =>
      Array.from({ length: 8 }, (_, index) => ({
        outcome: index < count ? 1 : -1,
        scores: [[1, -1, index % 2 ? 1 : -1]],
      }))
    const trains = (count: number) => {
      const { policy, reward } = groupAdvantages(solved(count), reference)
      return [policy.flat().some((value) => value !== null), reward.flat(2).some((value) => value !== null)]
    }
    expect([0, 1, 2, 4, 6, 7, 8].map(trains)).toEqual([
      [false, false],
      [true, false],
      [true, true],
      [true, true],
      [true, true],
      [true, false],
      [false, false],
    ])
  })

  it('count sets that teach nothing: constant ones, and all of a group that the filter drops', () => {
    const counts = (policyAccuracyHigh: number) => {
      const { trainsPolicy, policySets, constantPolicySets } = groupAdvantages(
        [
          { outcome: 1, scores: [[1], [1], [1]] },
          { outcome: 1, scores: [[1], [-1]] },
        ],
        { ...paper, policyAccuracyHigh },
      )
      return [trainsPolicy, policySets, constantPolicySets]
    }
    expect(counts(1)).toEqual([true, 2, 1])
    expect(counts(7 / 8)).toEqual([false, 2, 2])
  })

  it('handle a step that was not judged', () => {
    expect(
      groupAdvantages(
        [
          { outcome: 1, scores: [[]] },
          { outcome: -1, scores: [[]] },
        ],
        paper,
      ),
    ).toMatchObject({
      accuracy: 0.5,
      policy: [[1], [-1]],
      reward: [[[]], [[]]],
    })
  })
})
