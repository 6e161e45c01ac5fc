/**
 * A checker decides which answers are right if a problem has many: any shortest path, any order, a tolerance.
 *
 *     function check(input, output, expected) { … return true or false }
 *
 * `input` is the list of arguments or the standard input, `output` the program's answer (a JSON value, or the printed text with
 * line breaks between lines), and `expected` the test's output, or null if it has none.
 *
 * The program cannot influence the checker: its answer is read from the machine as JSON, every byte of the machine is restored
 * (machine.ts), and the checker starts with three values from the prelude's own `JSON.parse`, so no prototype, getter,
 * `toJSON` or proxy of the program survives. The checker is metered like a program, with its own limits.
 *
 * A checker that throws, hangs, needs too much memory or returns neither true nor false has failed; this says nothing about the
 * program.
 */
import { GuestRun, type Failure } from './guest-run.ts'
import type { Machine } from '../../sandbox/machine.ts'
import { CHECKER_LIMITS, type Json } from './verdict.ts'

const FILE = 'checker.js'
/** The form in which `encode` of guest-prelude.ts writes them. */
const ACCEPTED = '=true'
const REJECTED = '=false'
const LONGEST_RESULT = 60

export interface Question {
  input: readonly Json[] | string
  output: Json
  expected: Json
}

type CheckerRuling =
  | { kind: 'accepted' | 'rejected'; checkedMs: number }
  | { kind: 'failed'; message: string; checkedMs: number }

/** Asks one question synchronously. The machine may be spent afterwards. */
export function askChecker(machine: Machine, source: string, { input, output, expected }: Question): CheckerRuling {
  const run = new GuestRun(machine, { source, file: FILE }, CHECKER_LIMITS)
  try {
    run.evaluate('', [input, output, expected])
    if (!run.defines('check')) {
      const message = 'it defines no function check(input, output, expected)'
      return { kind: 'failed', message, checkedMs: run.executedMs }
    }
    const said = run.call('check')
    const checkedMs = run.executedMs
    if (said === ACCEPTED) return { kind: 'accepted', checkedMs }
    if (said === REJECTED) return { kind: 'rejected', checkedMs }
    return { kind: 'failed', message: `it returned ${shown(said)} and must return true or false`, checkedMs }
  } catch (error) {
    const checkedMs = run.executedMs
    return { kind: 'failed', message: messageOf(run.failure(error)), checkedMs }
  }
}

function shown(said: string): string {
  if (said.startsWith('>')) return 'something long'
  const value = said.slice(1)
  return value.length > LONGEST_RESULT ? `${value.slice(0, LONGEST_RESULT - 1)}…` : value
}

function messageOf(failure: Failure): string {
  switch (failure.kind) {
    case 'runtime error':
    case 'syntax error':
      return failure.message
    case 'time limit':
      return `it took more than ${CHECKER_LIMITS.executedMs} ms of executed time`
    case 'memory limit':
      return `it wanted more than ${CHECKER_LIMITS.memoryBytes / 2 ** 20} MB`
    case 'output limit':
      return `it printed more than ${CHECKER_LIMITS.outputCharacters} characters`
  }
}
