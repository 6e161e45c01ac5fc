import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { programAdvantages } from '../../../src/method/test-writing/advantages.ts'
import type { ProgramGroup } from '../../../src/method/test-writing/program-group.ts'
import { testConsistency } from '../../../src/method/test-writing/test-consistency.ts'
import { testRates } from '../../../src/method/test-writing/test-metrics.ts'
import { countedQuality } from '../../../src/method/test-writing/test-quality.ts'
import { parseSettings } from '../../../src/method/presets.ts'

const open = { policyAccuracyLow: 0, policyAccuracyHigh: 1, rewardAccuracyLow: 0, rewardAccuracyHigh: 1 }
const paper = parseSettings({ ...open, lambda: 1 }, 'coding')
const reference = parseSettings(open, 'coding+coding-reference')

/** "+-+" is a program's results on the written tests; '?' is void, or an unreadable test if the whole column has it. */
const group = (correct: string[], wrong: string[], passRatio = 0.5): ProgramGroup => ({
  programs: [
    ...correct.map(() => ({ outcome: 1 as const, passRatio: 1 })),
    ...wrong.map(() => ({ outcome: -1 as const, passRatio })),
  ],
  passed: [...correct, ...wrong].map((marks) =>
    [...marks].map((mark) => (mark === '+' ? true : mark === '-' ? false : null)),
  ),
})

const anyGroup = fc
  .record({ tests: fc.integer({ min: 1, max: 6 }), programs: fc.integer({ min: 2, max: 8 }) })
  .chain(({ tests, programs }) =>
    fc.record({
      programs: fc.array(
        fc.record({
          outcome: fc.constantFrom<1 | -1>(1, -1),
          passRatio: fc.integer({ min: 0, max: 4 }).map((count) => count / 4),
        }),
        { minLength: programs, maxLength: programs },
      ),
      isReadable: fc.array(fc.boolean(), { minLength: tests, maxLength: tests }),
      passed: fc.array(fc.array(fc.boolean(), { minLength: tests, maxLength: tests }), {
        minLength: programs,
        maxLength: programs,
      }),
    }),
  )
  .map(({ programs, isReadable, passed }): ProgramGroup => ({
    programs,
    passed: passed.map((row) => row.map((isPassed, test) => (isReadable[test] ? isPassed : null))),
  }))

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

describe('counted quality', () => {
  it.each<[string, ProgramGroup, number[] | null]>([
    ['a true test by the wrong programs that it fails', group(['+'], ['-', '-', '+']), [2]],
    ['a lie by the wrong programs that pass it', group(['+', '-'], ['-', '+', '+']), [-2]],
    ['a test that cannot be read with 0 among wrong programs', group(['?'], ['?', '?']), [0]],
    ['truth and lie by one where no program is wrong', group(['+-?', '++?'], []), [1, -1, -1]],
    ['nothing for the programs that it is void for', group(['+', '?'], ['-', '?', '-']), [2]],
    ['0 where it is void for every correct program', group(['?'], ['-', '+']), [0]],
    ['nothing without a correct program', group([], ['+', '-']), null],
  ])('gives %s', (_, of, expected) => {
    expect(countedQuality(of)).toEqual(expected)
  })
})

describe('consistency feedback of a test', () => {
  it('is the mean of R_i S_ij by hand', () => {
    // S of the correct program (+1, +1), of the wrong ones (+1, -1) and (-1, +1): R = 1 + λ, -1, -1.
    const of = group(['++'], ['+-', '-+'])
    expect(testConsistency(of, { ...paper, lambda: 1 })).toEqual([2 / 3, 2 / 3])
    expect(testConsistency(of, { ...paper, lambda: 4 })).toEqual([5 / 3, 5 / 3])
  })

  it('ranks a detecting test above one that all pass, above a false one, above an unreadable one', () => {
    const [detects, passedByAll, lie, unreadable] = testConsistency(group(['++-?', '++-?'], ['-++?', '-++?']), paper)
    expect(detects).toBeGreaterThan(passedByAll!)
    expect(passedByAll).toBeGreaterThan(lie!)
    expect(lie).toBeGreaterThan(unreadable!)
    expect(unreadable).toBe(-2)
  })

  it('stays within ±(1 + λ) for any signal, and ignores unreadable tests in R', () => {
    fc.assert(
      fc.property(anyGroup, fc.integer({ min: 0, max: 40 }), (of, lambdaTenths) => {
        const lambda = lambdaTenths / 10
        const feedback = testConsistency(of, { ...paper, lambda })
        expect(testConsistency(of, { ...paper, lambda, signal: 'outcome' })).toEqual(feedback)
        for (const value of feedback) expect(Math.abs(value)).toBeLessThanOrEqual(1 + lambda + 1e-12)
        const readable = { ...of, passed: of.passed.map((row) => row.filter((isPassed) => isPassed !== null)) }
        expect(testConsistency(readable, { ...paper, lambda })).toEqual(
          feedback.filter((_, test) => of.passed[0]![test] !== null),
        )
      }),
    )
  })

  it('is the mean agreement with the outcome at λ = 0', () => {
    expect(testConsistency(group(['+-', '++'], ['--', '+-']), { ...paper, lambda: 0 })).toEqual([0.5, 0.5])
  })
})

describe('advantages of programs and tests', () => {
  it.each([paper, reference])(
    'have mean 0 and standard deviation 1 over the task, or are all alike ($profile)',
    (settings) => {
      fc.assert(
        fc.property(anyGroup, (of) => {
          const { policy, tests } = programAdvantages(of, settings)
          for (const values of [policy.map(([value]) => value ?? 0), tests?.reward.map((value) => value ?? 0) ?? [0]]) {
            expect(mean(values)).toBeCloseTo(0, 9)
            const variance = mean(values.map((value) => value ** 2))
            if (variance > 1e-6) expect(variance).toBeCloseTo(1, 6)
          }
        }),
      )
    },
  )

  it('depend only on the ground truth as released, for any λ, signal and written tests', () => {
    fc.assert(
      fc.property(anyGroup, fc.constantFrom('integrated', 'outcome', 'step'), (of, signal) => {
        const { policy, feedback } = programAdvantages(of, { ...reference, signal, lambda: 3 })
        const untested = { ...of, passed: of.passed.map(() => []) }
        expect(policy).toEqual(programAdvantages(untested, reference).policy)
        expect(feedback).toEqual(of.programs.map(({ passRatio }) => [passRatio]))
      }),
    )
  })

  it('use the part of O + λ mean S that the signal selects, as published', () => {
    const of = group(['+-?'], ['---'])
    const feedback = (signal: 'integrated' | 'outcome' | 'step') =>
      programAdvantages(of, { ...paper, lambda: 2, signal }).feedback
    expect(feedback('integrated')).toEqual([[1], [-3]])
    expect(feedback('outcome')).toEqual([[1], [-1]])
    expect(feedback('step')).toEqual([[0], [-1]])
  })

  it('of exactly 0 train as released, but not as published', () => {
    const of: ProgramGroup = {
      programs: [0, 0.5, 1].map((passRatio) => ({ outcome: passRatio === 1 ? 1 : -1, passRatio })),
      passed: [
        [true, false, false],
        [false, true, false],
        [true, true, true],
      ],
    }
    expect(programAdvantages(of, reference).policy[1]).toEqual([0])
    const alike = group(['+'], ['+'])
    expect(programAdvantages(alike, reference).tests!.reward).toEqual([0])
    expect(programAdvantages(alike, paper).tests!.reward).toEqual([null])
  })

  it('train only inside the accuracy filters, which are both 0.2 to 0.8 as released', () => {
    const trains = (correct: number) => {
      const of = group(Array<string>(correct).fill('+-'), Array<string>(10 - correct).fill('-+'), 0.1)
      const { policy, tests } = programAdvantages(of, parseSettings({}, 'coding+coding-reference'))
      return [policy.flat().every((value) => value !== null), tests?.reward.every((value) => value !== null)]
    }
    expect([0, 1, 2, 8, 9, 10].map(trains)).toEqual([
      [false, undefined],
      [false, false],
      [true, true],
      [true, true],
      [false, false],
      [false, false],
    ])
  })

  it('are null for tests if none were written', () => {
    expect(programAdvantages(group(['', ''], ['']), paper).tests).toBeNull()
  })
})

describe('UT and Detect', () => {
  it('count tests of tasks with a correct program, and of tasks with both kinds', () => {
    const both = group(['++-', '++-'], ['-+-', '-+-'])
    const onlyCorrect = group(['+', '+'], [])
    const onlyWrong = group([], ['+-', '-+'])
    expect(testRates([both, onlyCorrect, onlyWrong])).toEqual({ ut: 3 / 4, utTests: 4, detect: 1 / 3, detectTests: 3 })
    expect(testRates([onlyWrong])).toEqual({ ut: null, utTests: 0, detect: null, detectTests: 0 })
  })

  it('count an unreadable test as wrong, and Detect never exceeds the true tests of UT', () => {
    expect(testRates([group(['?'], ['?'])])).toMatchObject({ ut: 0, detect: 0 })
    fc.assert(
      fc.property(fc.array(anyGroup, { maxLength: 4 }), (groups) => {
        const { ut, utTests, detect, detectTests } = testRates(groups)
        expect(detectTests).toBeLessThanOrEqual(utTests)
        expect((detect ?? 0) * detectTests).toBeLessThanOrEqual((ut ?? 0) * utTests + 1e-9)
      }),
    )
  })
})
