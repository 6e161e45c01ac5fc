/**
 * A problem of the coding world: its text, hidden tests and, if generated, its meaning.
 *
 * Two forms, as in the judge (judge/verdict.ts). `call`: the program defines `functionName`; a test's input is a JSON array
 * of arguments and its output a JSON value. `stdio`: the program reads standard input and prints; texts are compared with
 * whitespace collapsed, as released. A problem with many right answers has a checker that decides which answers are right;
 * models never see it.
 */
import type { Task, WrittenTest } from '../../method/ports.ts'
import type { Spec } from './problems/spec.ts'

/** A test as text (WrittenTest). `output` may be null if there is a checker, which needs no expected answer. */
export interface HiddenTest {
  input: string
  output: string | null
}

interface ProblemBase {
  /** What the policy and the reward model read. */
  statement: string
  /** Ground truth, hidden from the models. At least one. */
  tests: readonly HiddenTest[]
  /** Limit per test, in executed milliseconds (judge/verdict.ts). */
  timeLimitMs: number
  /** A program that passes every true test; null if unknown. */
  reference: string | null
  /** Source that defines `check(input, output, expected)` (judge/checker.ts); absent if answers are compared. */
  checker?: string
  /** The spec from which a generated problem follows; null for an imported one. */
  spec: Spec | null
}

export type Problem = ProblemBase & ({ form: 'call'; functionName: string } | { form: 'stdio' })

/** A task of the loop whose body is a problem. */
export type CodingTask = Task & { body: Problem }

/** The hidden tests with an expected output: all of them, unless there is a checker. */
export function expectingTests({ tests }: Problem): WrittenTest[] {
  return tests.flatMap(({ input, output }) => (output === null ? [] : [{ input, output }]))
}
