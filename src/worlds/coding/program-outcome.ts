/**
 * Whether a program is right, given its results on the hidden tests. A void test, one whose checker failed, counts neither for
 * nor against the program:
 *
 *     right   no test failed, and the program passed at least half of all tests
 *
 * Half, because making the checker fail must not be a way to avoid the tests.
 */
import type { TestResult } from '../../method/ports.ts'

interface ProgramOutcome {
  isRight: boolean
  failed: number
  /** "3 of 4 tests passed; test 2: wrong answer, expected 1, got 2". */
  observation: string
}

export function outcomeOf(tests: readonly TestResult[]): ProgramOutcome {
  const passed = tests.filter((test) => test.passed).length
  const voids = tests.filter((test) => test.isVoid).length
  const failed = tests.length - passed - voids
  const uncounted = voids === 0 ? '' : `, ${voids} not counted`
  const summary = `${passed} of ${tests.length - voids} tests passed${uncounted}`
  return {
    isRight: failed === 0 && 2 * passed >= tests.length,
    failed,
    observation: `${summary}${trouble(tests)}`,
  }
}

/** Describes the first test that failed or, if none did, the first void test. */
function trouble(tests: readonly TestResult[]): string {
  const failed = tests.findIndex((test) => !test.passed && !test.isVoid)
  const first = failed < 0 ? tests.findIndex((test) => !test.passed) : failed
  if (first < 0) return ''
  const { verdict, detail } = tests[first]!
  return `; test ${first + 1}: ${verdict}${detail === '' ? '' : `, ${detail}`}`
}
