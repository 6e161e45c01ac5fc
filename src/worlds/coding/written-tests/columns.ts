/**
 * The tests that a reward model wrote for a problem, made ready for its programs. On a problem with a checker a written
 * output is one right answer of many, or a lie, so the checker is asked about it before any program runs, as if a program
 * had answered it:
 *
 *     check(input, written, written) accepts    a program passes if check(input, its output, written) accepts
 *                                    rejects    the test lies: a program passes if it answers just that, as without a checker
 *                                    fails      the test cannot be read
 *
 * The second line is what makes lies cost also where a checker looks at the input alone: with `check` all right programs
 * would pass them. A test is true if the reference solution passes it, as on every other problem.
 */
import type { WrittenTest } from '../../../method/ports.ts'
import type { CheckedTest, JudgeResult, PlainTest } from '../judge/verdict.ts'
import type { Problem } from '../problem.ts'
import { ownAnswer, readTest, type ProgramTest } from './read-test.ts'

export interface WrittenColumns {
  /** Where in `distinct` the test of each column stands; null where it cannot be read. */
  columns: (number | null)[]
  distinct: ProgramTest[]
}

/** The tests that can be read, each once, and which of them stands in which column. */
export function columnsOf(problem: Problem, tests: readonly (WrittenTest | null)[]): WrittenColumns {
  const distinct: ProgramTest[] = []
  const indices = new Map<string, number>()
  const columns = tests.map((written) => {
    const read = written === null ? null : readTest(problem, written)
    if (read === null || !('test' in read)) return null
    const identity = JSON.stringify(read.test)
    const index = indices.get(identity) ?? distinct.push(read.test) - 1
    indices.set(identity, index)
    return index
  })
  return { columns, distinct }
}

/** What the checker is asked of the tests, one question each; empty where there is no checker. */
export function claimsOf({ distinct }: WrittenColumns): CheckedTest[] {
  return distinct.flatMap((test) => ownAnswer(test) ?? [])
}

/** `said`: the verdicts of `claimsOf`, in its order. */
export function settled({ columns, distinct }: WrittenColumns, said: JudgeResult): WrittenColumns {
  const kept: ProgramTest[] = []
  const places = distinct.map((test, index) => {
    const kind = said[index]!.kind
    if (kind !== 'passed' && kind !== 'wrong answer') return null
    return kept.push(kind === 'passed' ? test : withoutChecker(test)) - 1
  })
  return { columns: columns.map((index) => (index === null ? null : places[index]!)), distinct: kept }
}

/** Of a test that expects something. */
function withoutChecker(test: ProgramTest): PlainTest {
  if (test.kind === 'stdio') return { kind: 'stdio', input: test.input, expected: test.expected! }
  const { checker: _checker, ...plain } = test
  return plain
}
