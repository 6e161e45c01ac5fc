/**
 * The programs of one task on the tests that the reward model wrote, as the arithmetic sees them. A generated test is one
 * action of the reward model that scores every program at once:
 *
 *     S_ij = +1 program i passed test j     -1 it failed     0 test j cannot be read, or is void for program i
 */
import type { Outcome, Score, TestResult } from '../ports.ts'
import type { TaskGroup } from '../task-group.ts'

export interface Program {
  /** +1 where it passes every ground-truth test: it is then called correct. */
  outcome: Outcome
  /** Share of the ground-truth tests that it passes, in [0, 1]; void ones (TestResult) are not counted. */
  passRatio: number
}

export interface ProgramGroup {
  programs: readonly Program[]
  /**
   * passed[program][test]; null in the whole column of a test that cannot be read, and where a test is void for a program.
   * Empty rows where none were written.
   */
  passed: readonly (readonly (boolean | null)[])[]
}

/** Of the tests that count; 0 where none does. */
export function passRatioOf(results: readonly TestResult[]): number {
  const counted = results.filter(({ isVoid }) => !isVoid)
  return counted.length === 0 ? 0 : counted.filter(({ passed }) => passed).length / counted.length
}

/** Whether a test that was run was passed; null where it is void, or cannot be read. */
export function passedOf(result: TestResult | null): boolean | null {
  return result === null || result.isVoid ? null : result.passed
}

/** S_ij of one program; [tests]. */
export function scoresOf(passed: readonly (boolean | null)[]): Score[] {
  return passed.map((isPassed) => (isPassed === null ? 0 : isPassed ? 1 : -1))
}

export function testCount({ passed }: ProgramGroup): number {
  return passed[0]?.length ?? 0
}

/**
 * How the correct and the wrong programs fared on one test. A test that cannot be read is passed by none, as released; one
 * that is void for a program does not count it.
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

/** The programs of a task's group, with the tests that were written for it, if any. Throws for an episode that is none. */
export function programGroupOf({ rollouts, tests }: TaskGroup): ProgramGroup {
  return {
    programs: rollouts.map(({ episode }) => {
      const results = episode.steps[0]?.tests ?? []
      if (episode.steps.length !== 1 || results.length === 0) {
        throw new Error(
          `Episode ${episode.episodeId} has ${episode.steps.length} steps and ${results.length} results of ground-truth ` +
            'tests. Where the reward model writes tests, an episode is one program, and the environment says how it fared ' +
            'on every ground-truth test (StepResult.tests).',
        )
      }
      return { outcome: episode.outcome, passRatio: passRatioOf(results) }
    }),
    passed: tests?.passed ?? rollouts.map(() => []),
  }
}
