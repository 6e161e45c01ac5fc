/** What the judge is asked and what it answers. Plain data: jobs and verdicts cross between threads. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** One thing that a program must get right. */
export type PlainTest =
  /**
   * The script defines the function; it is called once. A promise that it returns is awaited. Its result is right if it
   * is the expected JSON value (`isSameJson`); a result that JSON does not have (undefined, NaN, a Map, a hole, an
   * accessor) is never right.
   */
  | { kind: 'call'; functionName: string; arguments: readonly Json[]; expected: Json; checker?: undefined }
  /** The script reads the input and prints (guest-prelude.ts says how). Texts are compared with whitespace collapsed. */
  | { kind: 'stdio'; input: string; expected: string; checker?: undefined }

/**
 * The same, but what is right is said by `check(input, output, expected)`, which the source `checker` defines (checker.ts).
 * `expected` is handed over as it is, null where nothing is.
 */
export type CheckedTest =
  | { kind: 'call'; functionName: string; arguments: readonly Json[]; expected: Json; checker: string }
  | { kind: 'stdio'; input: string; expected: string | null; checker: string }
  /** No program runs: what the checker says of this answer. `input` is the list of arguments, or a text. */
  | { kind: 'answer'; input: readonly Json[] | string; answer: Json; expected: Json; checker: string }

export type Test = PlainTest | CheckedTest

export interface Limits {
  /**
   * Of each test, the script's own evaluation included: at most 8,000. Executed time is counted, not measured
   * (metering.ts): FUEL_PER_MS units are a millisecond, about what a laptop of 2022 does in one or less. It is what gives
   * the verdict `time limit`, the same one on every machine.
   */
  executedMs: number
  /**
   * Of all tests of a program together, by the clock. Only a backstop: for a thread that hangs, or a machine so slow or
   * busy that executed time says nothing to the person who waits. A verdict that it gave says so.
   */
  wallMs: number
  /** Of the guest's heap, between 16 and 256 MB (MEMORY_LIMITS). A program that wants more is stopped where it is. */
  memoryBytes: number
  /** Of printed lines, and of a result as JSON. */
  outputCharacters: number
}

export const DEFAULT_LIMITS: Limits = {
  executedMs: 1000,
  wallMs: 20_000,
  memoryBytes: 64 * 2 ** 20,
  outputCharacters: 2 ** 16,
}

/** Units of fuel in a millisecond of executed time. */
export const FUEL_PER_MS = 250_000

/** A program with its tests. Every test runs it anew: what it keeps in globals, no other test sees. */
export interface JudgeJob {
  source: string
  tests: readonly Test[]
  limits: Limits
}

/**
 * A checker's limits, which are its own: what the program took is not counted. Its heap begins as it was before the
 * program, too.
 */
export const CHECKER_LIMITS = { executedMs: 1000, memoryBytes: 64 * 2 ** 20, outputCharacters: 2 ** 16 } as const

/**
 * `executedMs` is what the test took of its limit, 0 where nobody can say: the program took the thread down with it.
 * `checkedMs` is what the checker took of its own, where one was asked.
 */
export type Verdict = { executedMs: number; checkedMs?: number } & (
  | { kind: 'passed' }
  /** Both as JSON, or as printed; shortened to be read by people. */
  | { kind: 'wrong answer'; expected: string; got: string }
  | { kind: 'runtime error'; message: string }
  | { kind: 'syntax error'; message: string }
  | { kind: 'time limit'; by: 'executed time' | 'clock' }
  | { kind: 'memory limit' }
  | { kind: 'output limit' }
  /** The fault of the checker, not of the program: it says nothing of the program. */
  | { kind: 'checker failed'; message: string }
)

export type VerdictKind = Verdict['kind']

/** Verdicts of one program, one per test. */
export type JudgeResult = Verdict[]

export interface JudgePort {
  /** Results in the order of the jobs. Whatever a program does gives it a verdict; errors are the judge's own. */
  judge(jobs: readonly JudgeJob[], signal?: AbortSignal): Promise<JudgeResult[]>
}
