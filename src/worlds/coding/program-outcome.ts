/**
 * What the hidden tests say of a program together. A void test, one whose checker failed, counts neither for the program nor
 * against it:
 *
 *     right   no test failed, and at least half of all were passed
 *
 * Half, because an answer that makes a checker fail must not be a way around the tests.
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

/** The first test that failed or, where none did, the first that is void. */
function trouble(tests: readonly TestResult[]): string {
  const failed = tests.findIndex((test) => !test.passed && !test.isVoid)
  const first = failed < 0 ? tests.findIndex((test) => !test.passed) : failed
  if (first < 0) return ''
  const { verdict, detail } = tests[first]!
  return `; test ${first + 1}: ${verdict}${detail === '' ? '' : `, ${detail}`}`
}
