/** Advantages and rates of the released coding setting, case by case. */
import { describe, expect, it } from 'vitest'
import { programAdvantages } from '../../src/method/test-writing/advantages.ts'
import type { ProgramGroup } from '../../src/method/test-writing/program-group.ts'
import { testRates } from '../../src/method/test-writing/test-metrics.ts'
import { countedQuality } from '../../src/method/test-writing/test-quality.ts'
import { parseSettings } from '../../src/method/presets.ts'
import { describeReleased } from './released-vectors.ts'

interface VectorCase {
  /** correctness[program][ground-truth test], synCorrectness[program][generated test] */
  tasks: { correctness: boolean[][]; synCorrectness: boolean[][] }[]
  /** [task, program, advantage, raw reward] */
  policyAdvantages: number[][]
  /** [task, generated test, advantage, raw reward] */
  rewardAdvantages: number[][]
  log: string
}

const TOLERANCE = 1e-9
const settings = parseSettings({}, 'coding+coding-reference')

const groupsOf = ({ tasks }: VectorCase): ProgramGroup[] =>
  tasks.map(({ correctness, synCorrectness }) => ({
    programs: correctness.map((tests) => ({
      outcome: tests.every(Boolean) ? 1 : -1,
      passRatio: tests.filter(Boolean).length / tests.length,
    })),
    passed: synCorrectness,
  }))

function rowsOf(groups: readonly ProgramGroup[]): { policy: number[][]; reward: number[][] } {
  const policy: number[][] = []
  const reward: number[][] = []
  groups.forEach((group, task) => {
    const advantages = programAdvantages(group, settings)
    advantages.policy.forEach(([advantage], program) => {
      if (advantage === null) return
      policy.push([task, program, advantage!, advantages.feedback[program]![0]!])
    })
    advantages.tests?.reward.forEach((advantage, test) => {
      if (advantage !== null) reward.push([task, test, advantage, advantages.tests!.feedback[test]!])
    })
  })
  return { policy, reward }
}

function expectRows(actual: number[][], expected: number[][]): void {
  expect(actual.map((row) => row.slice(0, 2))).toEqual(expected.map((row) => row.slice(0, 2)))
  actual.forEach((row, index) => {
    for (const column of [2, 3]) {
      const difference = Math.abs(row[column]! - expected[index]![column]!)
      expect(difference, `row ${index}, column ${column}`).toBeLessThanOrEqual(TOLERANCE)
    }
  })
}

const LOG_LINE =
  /GT-pass-all acc: (\S+) .*syn_ut_acc: (\S+)\s+perfect_ut_rate: (\S+)\s+\(syn_ut_den_gt=(\d+), syn_ut_den_gt_ngt=(\d+)\)/u

/** The released log has six decimals, and 0 if there is nothing to count. */
const sixDecimals = (rate: number | null) => (rate ?? 0).toFixed(6)

describeReleased<VectorCase>(
  'the reference profile reproduces the released coding setting to 1e-9',
  'coding',
  (vector) => {
    const groups = groupsOf(vector)
    const { policy, reward } = rowsOf(groups)
    expectRows(policy, vector.policyAdvantages)
    expectRows(reward, vector.rewardAdvantages)

    const rates = testRates(groups)
    const outcomes = groups.flatMap(({ programs }) => programs.map(({ outcome }) => outcome))
    const accuracy = outcomes.filter((outcome) => outcome === 1).length / outcomes.length
    expect([
      sixDecimals(accuracy),
      sixDecimals(rates.ut),
      sixDecimals(rates.detect),
      String(rates.utTests),
      String(rates.detectTests),
    ]).toEqual(LOG_LINE.exec(vector.log)!.slice(1))
  },
)

describe('the worked example of the release', () => {
  it('standardises pass ratios, and counts of programs', () => {
    const ratios = [1, 1, 0.5, 0.25, 0, 0, 0, 0.125]
    const programs = ratios.map((passRatio) => ({ outcome: passRatio === 1 ? (1 as const) : (-1 as const), passRatio }))
    // Six wrong programs; a true test fails `caught` of them, a lie is passed by `fooled` of them.
    const column = (isTrue: boolean, wrongPassing: number) =>
      ratios.map((ratio, program) => (ratio === 1 ? isTrue : program - 2 < wrongPassing))
    const columns = [
      column(true, 1),
      column(true, 4),
      column(false, 0),
      column(false, 3),
      ratios.map(() => null),
      column(false, 0),
    ]
    const group: ProgramGroup = { programs, passed: ratios.map((_, program) => columns.map((test) => test[program]!)) }
    expect(countedQuality(group)).toEqual([5, 2, 0, -3, 0, 0])
    const { policy, tests } = programAdvantages(group, settings)
    expect(tests!.reward.map((value) => Number(value!.toFixed(4)))).toEqual([
      1.7857, 0.5494, -0.2747, -1.511, -0.2747, -0.2747,
    ])
    expect(policy.map(([value]) => Number(value!.toFixed(4)))).toEqual([
      1.5923, 1.5923, 0.3495, -0.2719, -0.8932, -0.8932, -0.8932, -0.5826,
    ])
  })
})
