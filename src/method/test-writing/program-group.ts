/**
 * One task's programs and their results on the written tests, as the arithmetic reads them. A written test is one action of
 * the reward model that scores every program at once:
 *
 *     S_ij = +1 program i passed test j     -1 it failed     0 test j is unreadable, or void for program i
 */
import type { Outcome, Score, TestResult } from '../ports.ts'
import type { Rollout } from '../rollout.ts'

export interface TestedProgram {
  /** +1 if it passes every ground-truth test: it is then called correct. */
  outcome: Outcome
  /** Share of ground-truth tests that it passes, in [0, 1], without void ones (TestResult). */
  passRatio: number
}

export interface ProgramGroup {
  programs: readonly TestedProgram[]
  /**
   * passed[program][test]; null for void results and in the whole column of an unreadable test. Rows are empty if no tests
   * were written.
   */
  passed: readonly (readonly (boolean | null)[])[]
}

/** Share of passed tests, without void ones; 0 if none remains. */
export function passRatioOf(results: readonly TestResult[]): number {
  const counted = results.filter(({ isVoid }) => !isVoid)
  return counted.length === 0 ? 0 : counted.filter(({ passed }) => passed).length / counted.length
}

/** Null for a void result and for an unreadable test. */
export function passedOf(result: TestResult | null): boolean | null {
  return result === null || result.isVoid ? null : result.passed
}

/** S_ij of one program: scores[test]. */
export function scoresOf(passed: readonly (boolean | null)[]): Score[] {
  return passed.map((isPassed) => (isPassed === null ? 0 : isPassed ? 1 : -1))
}

export function testCount({ passed }: ProgramGroup): number {
  return passed[0]?.length ?? 0
}

/**
 * Correct and wrong programs on one test. No program passes an unreadable test, as released. A program for which the test is
 * void does not count.
 */
export interface TestTally {
  correct: number
  wrong: number
  correctPassing: number
  wrongPassing: number
}

/** tallies[test] */
export function tallyTests(group: ProgramGroup): TestTally[] {
  return Array.from({ length: testCount(group) }, (_, test) => {
    const tally: TestTally = { correct: 0, wrong: 0, correctPassing: 0, wrongPassing: 0 }
    const isReadable = group.passed.some((row) => row[test] !== null)
    group.programs.forEach(({ outcome }, program) => {
      if (isReadable && group.passed[program]![test] === null) return
      const isPassed = group.passed[program]![test] === true
      if (outcome === 1) {
        tally.correct++
        if (isPassed) tally.correctPassing++
      } else {
        tally.wrong++
        if (isPassed) tally.wrongPassing++
      }
    })
    return tally
  })
}

/** The programs of a task's group with their results on the written tests, if any. Throws for an episode that is not one program. */
export function programGroupOf(
  rollouts: readonly Rollout[],
  passed: ProgramGroup['passed'] = rollouts.map(() => []),
): ProgramGroup {
  return {
    programs: rollouts.map(({ episode }) => {
      const results = episode.steps[0]?.tests ?? []
      if (episode.steps.length !== 1 || results.length === 0) {
        throw new Error(
          `Episode ${episode.episodeId} has ${episode.steps.length} steps and ${results.length} results of ground-truth ` +
            'tests. Where the reward model writes tests, an episode must be one program, and the environment must report ' +
            'its result on every ground-truth test (StepResult.tests).',
        )
      }
      return { outcome: episode.outcome, passRatio: passRatioOf(results) }
    }),
    passed,
  }
}
