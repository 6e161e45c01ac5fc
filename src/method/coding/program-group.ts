/**
 * The programs of one task on the tests that the reward model wrote, as the arithmetic sees them. A generated test is one
 * action of the reward model that scores every program at once:
 *
 *     S_ij = +1 program i passed test j     -1 it failed     0 test j cannot be read
 */
import type { Outcome, Score } from '../ports.ts'
import type { TaskGroup } from '../task-group.ts'

export interface Program {
  /** +1 where it passes every ground-truth test: it is then called correct. */
  outcome: Outcome
  /** Share of the ground-truth tests that it passes, in [0, 1]. */
  passRatio: number
}

export interface ProgramGroup {
  programs: readonly Program[]
  /** passed[program][test]; null in the whole column of a test that cannot be read. Empty rows where none were written. */
  passed: readonly (readonly (boolean | null)[])[]
}

/** S_ij of one program; [tests]. */
export function scoresOf(passed: readonly (boolean | null)[]): Score[] {
  return passed.map((isPassed) => (isPassed === null ? 0 : isPassed ? 1 : -1))
}

export function testCount({ passed }: ProgramGroup): number {
  return passed[0]?.length ?? 0
}

/** How the correct and the wrong programs fared on one test. A test that cannot be read is passed by none, as released. */
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
    group.programs.forEach(({ outcome }, program) => {
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
      return { outcome: episode.outcome, passRatio: results.filter(({ passed }) => passed).length / results.length }
    }),
    passed: tests?.passed ?? rollouts.map(() => []),
  }
}
