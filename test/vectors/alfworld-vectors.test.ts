/** Advantages of the released AlfWorld code, case by case. */
import { expect } from 'vitest'
import { groupAdvantages } from '../../src/method/step-judging/advantages.ts'
import type { Outcome, Score } from '../../src/method/ports.ts'
import { parseSettings } from '../../src/method/presets.ts'
import { describeReleased } from './released-vectors.ts'

interface VectorCase {
  seed: number
  groupSize: number
  evaluations: number
  lambda?: number
  tasks: { outcomes: Outcome[]; scores: Score[][][] }[]
  policyAdvantages: number[][]
  rewardAdvantages: number[][]
}

const TOLERANCE = 1e-9

function rowsOf(vector: VectorCase): { policy: number[][]; reward: number[][] } {
  const settings = parseSettings({ lambda: vector.lambda }, 'reference')
  const policy: number[][] = []
  const reward: number[][] = []
  vector.tasks.forEach(({ outcomes, scores }, task) => {
    const group = groupAdvantages(
      outcomes.map((outcome, rollout) => ({ outcome, scores: scores[rollout] ?? [] })),
      settings,
    )
    group.policy.forEach((steps, rollout) =>
      steps.forEach((advantage, step) => {
        if (advantage !== null) policy.push([task, rollout, step, advantage])
      }),
    )
    group.reward.forEach((steps, rollout) =>
      steps.forEach((evaluations, step) =>
        evaluations.forEach((advantage, evaluation) => {
          if (advantage !== null) reward.push([task, rollout, step, evaluation, advantage])
        }),
      ),
    )
  })
  return { policy, reward }
}

function expectRows(actual: number[][], expected: number[][]): void {
  expect(actual.map((row) => row.slice(0, -1))).toEqual(expected.map((row) => row.slice(0, -1)))
  actual.forEach((row, index) => {
    const wanted = expected[index]?.at(-1) ?? Number.NaN
    expect(Math.abs((row.at(-1) ?? Number.NaN) - wanted), `row ${index}`).toBeLessThanOrEqual(TOLERANCE)
  })
}

describeReleased<VectorCase>(
  'the reference profile reproduces the released AlfWorld advantages to 1e-9',
  'alfworld',
  (vector) => {
    const { policy, reward } = rowsOf(vector)
    expectRows(policy, vector.policyAdvantages)
    expectRows(reward, vector.rewardAdvantages)
  },
)
