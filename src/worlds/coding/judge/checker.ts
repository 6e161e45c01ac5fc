/**
 * A problem's own say on what is right, where many answers are: any shortest path, any order, a tolerance.
 *
 *     function check(input, output, expected) { … return true or false }
 *
 * `input` is the list of arguments or the text that was read, `output` what the program answered (a JSON value, or the
 * text that it printed, a line break between lines), `expected` the test's output, null where it has none.
 *
 * The program is gone by then. What it answered was read from its machine as JSON, the machine is put back to the byte
 * (machine.ts), and the checker begins there with three values that the prelude's own `JSON.parse` made: no prototype, getter,
 * `toJSON` or proxy of the program is left to meet it. It is metered as programs are, with limits of its own.
 *
 * A checker that throws, hangs, wants too much memory or returns neither true nor false has failed, and nothing is said
 * of the program.
 */
import { GuestRun, type Failure } from './guest-run.ts'
import type { Machine } from './machine.ts'
import { CHECKER_LIMITS, type Json } from './verdict.ts'

const FILE = 'checker.js'
/** As `encode` of guest-prelude.ts writes them. */
const ACCEPTED = '=true'
const REJECTED = '=false'
const LONGEST_RESULT = 60

export interface Question {
  input: readonly Json[] | string
  output: Json
  expected: Json
}

type CheckerRuling =
  { kind: 'accepted' | 'rejected'; checkedMs: number } | { kind: 'failed'; message: string; checkedMs: number }

/** One question, at once. The machine may be spent afterwards. */
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
