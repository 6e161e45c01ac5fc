/**
 * Tries a problem's checker before it judges any program:
 *
 *     it compiles and defines check(input, output, expected)
 *     it accepts the expected output of every test that has one
 *     it returns true or false for outputs of clueless programs
 *     it does not accept all of these
 *
 * The third condition matters because a test whose checker fails does not count: if `null` made the checker fail, an empty
 * program could avoid the test. Without the last, any program could pass it.
 */
import { CHECKER_LIMITS, DEFAULT_LIMITS, type CheckedTest, type JudgeJob, type JudgeResult } from '../judge/verdict.ts'
import type { Json } from '../judge/verdict.ts'
import type { Problem } from '../problem.ts'
import { ownAnswer, readTest } from '../written-tests/read-test.ts'

/** Judges one job, like `Judge.judge`. */
export type JudgeOne = (job: JudgeJob) => Promise<JudgeResult>

type Trial = { test: CheckedTest & { kind: 'answer' }; number: number; isExpected: boolean }

const CLUELESS_VALUES: readonly Json[] = [null, true, 0, '', [], [null], {}]
const CLUELESS_TEXTS: readonly string[] = ['', 'no such answer']

/** What is wrong with the checker, as a sentence without its full stop; null if nothing is or there is no checker. */
export async function checkerFault(problem: Problem, judge: JudgeOne): Promise<string | null> {
  const trials = trialsOf(problem)
  if (trials.length === 0) return null
  const tests = trials.map(({ test }) => test)
  const wallMs = DEFAULT_LIMITS.wallMs + 3 * CHECKER_LIMITS.executedMs * tests.length
  const verdicts = await judge({ source: '', tests, limits: { ...DEFAULT_LIMITS, wallMs } })
  for (const [index, { test, number, isExpected }] of trials.entries()) {
    const verdict = verdicts[index]!
    const output = isExpected ? 'the expected output' : `the output ${JSON.stringify(test.answer)}`
    if (verdict.kind === 'checker failed') {
      if (/^SyntaxError|^it defines no/.test(verdict.message)) return `checker cannot be used: ${verdict.message}`
      const demand = 'it must return true or false whatever a program answers'
      return `checker fails for ${output} on test ${number}: ${verdict.message}; ${demand}`
    }
    if (isExpected && verdict.kind !== 'passed') {
      return `checker does not accept ${output} of test ${number}`
    }
  }
  const clueless = trials.flatMap(({ isExpected }, index) => (isExpected ? [] : [verdicts[index]!.kind]))
  const isVacuous = clueless.length > 0 && clueless.every((kind) => kind === 'passed')
  return isVacuous ? 'checker accepts every answer to test 1' : null
}

function trialsOf(problem: Problem): Trial[] {
  const trials: Trial[] = []
  for (const [index, written] of problem.tests.entries()) {
    const read = readTest(problem, written, Infinity)
    if (!('test' in read)) continue
    const own = ownAnswer(read.test)
    if (own === null) return []
    const number = index + 1
    if (written.output !== null) trials.push({ test: own, number, isExpected: true })
    if (index > 0) continue
    const clueless = problem.form === 'call' ? CLUELESS_VALUES : CLUELESS_TEXTS
    trials.push(...clueless.map((answer) => ({ test: { ...own, answer }, number, isExpected: false })))
  }
  return trials
}
