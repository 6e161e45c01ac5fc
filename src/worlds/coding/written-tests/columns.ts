/**
 * Prepares the tests that a reward model wrote for a problem. If the problem has a checker, a written output is one of many right
 * answers, or wrong. So before any program runs, the checker judges it like a program's answer:
 *
 *     check(input, written, written) accepts    a program passes if check(input, its output, written) accepts
 *                                    rejects    the test is false: a program passes only with exactly this output
 *                                    fails      the test cannot be read
 *
 * The second line makes false tests cost even if the checker ignores `expected`: with `check`, all right programs would pass
 * them. As for every problem, a test is true if the reference solution passes it.
 */
import type { WrittenTest } from '../../../method/ports.ts'
import type { CheckedTest, JudgeResult, PlainTest } from '../judge/verdict.ts'
import type { Problem } from '../problem.ts'
import { ownAnswer, readTest, type ProgramTest } from './read-test.ts'

export interface WrittenColumns {
  /** [column] index of its test in `distinct`; null if the test cannot be read. */
  columns: (number | null)[]
  distinct: ProgramTest[]
}

/** Reads the tests, merges equal ones, and assigns them to columns. */
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

/** One question to the checker for each test; empty if there is no checker. */
export function claimsOf({ distinct }: WrittenColumns): CheckedTest[] {
  return distinct.flatMap((test) => ownAnswer(test) ?? [])
}

/** `said` has the verdicts on `claimsOf`, in its order. */
export function settled({ columns, distinct }: WrittenColumns, said: JudgeResult): WrittenColumns {
  const kept: ProgramTest[] = []
  const places = distinct.map((test, index) => {
    const kind = said[index]!.kind
    if (kind !== 'passed' && kind !== 'wrong answer') return null
    return kept.push(kind === 'passed' ? test : withoutChecker(test)) - 1
  })
  return { columns: columns.map((index) => (index === null ? null : places[index]!)), distinct: kept }
}

/** The test without its checker. It must have an expected output. */
function withoutChecker(test: ProgramTest): PlainTest {
  if (test.kind === 'stdio') return { kind: 'stdio', input: test.input, expected: test.expected! }
  const { checker: _checker, ...plain } = test
  return plain
}
