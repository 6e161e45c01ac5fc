/**
 * A problem of the coding world: words, hidden tests, and where it is generated, what it means.
 *
 * Two forms, as in the judge (judge/verdict.ts). `call`: the program defines `functionName`; a test's input is a JSON array
 * of arguments and its output a JSON value. `stdio`: the program reads standard input and prints; texts are compared with
 * whitespace collapsed, as released. A problem with many right answers brings a checker that says which they are; models
 * are never shown it.
 */
import type { Task, WrittenTest } from '../../method/ports.ts'
import type { Spec } from './problems/spec.ts'

/** A test as text (WrittenTest). `output` is null where nothing is expected, for a checker needs no answer to look at. */
export interface HiddenTest {
  input: string
  output: string | null
}

interface ProblemBase {
  /** What the policy and the reward model read. */
  statement: string
  /** Ground truth, hidden from the models. At least one. */
  tests: readonly HiddenTest[]
  /** Of each test, in executed milliseconds (judge/verdict.ts). */
  timeLimitMs: number
  /** A program that passes every true test; null where nobody has given one. */
  reference: string | null
  /** Source that defines `check(input, output, expected)` (judge/checker.ts); absent where answers are compared. */
  checker?: string
  /** What a generated problem asks for, from which all the rest follows; null for an imported one. */
  spec: Spec | null
}

export type Problem = ProblemBase & ({ form: 'call'; functionName: string } | { form: 'stdio' })

/** A task of the loop whose body is a problem. */
export type CodingTask = Task & { body: Problem }

/** The hidden tests that expect something; all of them where there is no checker. */
export function expectingTests({ tests }: Problem): WrittenTest[] {
  return tests.flatMap(({ input, output }) => (output === null ? [] : [{ input, output }]))
}
