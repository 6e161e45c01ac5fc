/**
 * A problem of the coding setting: words, hidden tests, and where it is generated, what it means.
 *
 * Two forms, as in the judge (judge/verdict.ts). `call`: the program defines `functionName`; a test's input is a JSON array
 * of arguments and its output a JSON value. `stdio`: the program reads standard input and prints; texts are compared with
 * whitespace collapsed, as released.
 */
import type { Task, WrittenTest } from '../../method/ports.ts'
import type { Spec } from './problems/spec.ts'

interface ProblemBase {
  /** What the policy and the reward model read. */
  statement: string
  /** Ground truth, hidden from the models. At least one. */
  tests: readonly WrittenTest[]
  /** Of each test, in executed milliseconds (judge/verdict.ts). */
  timeLimitMs: number
  /** A program that passes every true test; null where nobody has given one. */
  reference: string | null
  /** What a generated problem asks for, from which all the rest follows; null for an imported one. */
  spec: Spec | null
}

export type Problem = ProblemBase & ({ form: 'call'; functionName: string } | { form: 'stdio' })

/** A task of the loop whose body is a problem. */
export type CodingTask = Task & { body: Problem }
