/** Jobs and verdicts of the judge: plain data that crosses threads. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** One test of a program, by comparison with the expected answer. */
export type PlainTest =
  /**
   * The script defines the function, which is called once; a returned promise is awaited. The result is right if it equals
   * the expected JSON value (`isSameJson`). A value outside JSON (undefined, NaN, a Map, a hole, an accessor) is never right.
   */
  | { kind: 'call'; functionName: string; arguments: readonly Json[]; expected: Json; checker?: undefined }
  /** The script reads the input and prints (guest-prelude.ts). Texts are compared with whitespace collapsed. */
  | { kind: 'stdio'; input: string; expected: string; checker?: undefined }

/**
 * The same, but `check(input, output, expected)`, defined by the source `checker`, decides what is right (checker.ts). It gets
 * `expected` unchanged, or null.
 */
export type CheckedTest =
  | { kind: 'call'; functionName: string; arguments: readonly Json[]; expected: Json; checker: string }
  | { kind: 'stdio'; input: string; expected: string | null; checker: string }
  /** Runs no program: asks the checker about this answer. `input` is the list of arguments, or a text. */
  | { kind: 'answer'; input: readonly Json[] | string; answer: Json; expected: Json; checker: string }

export type Test = PlainTest | CheckedTest

export interface Limits {
  /**
   * Limit per test, including the evaluation of the script: at most 8,000. Executed time is counted, not measured
   * (metering.ts): FUEL_PER_MS units are one millisecond, about what a laptop of 2022 executes in that time or less. So the
   * verdict `time limit` is the same on every machine.
   */
  executedMs: number
  /**
   * Limit for all tests of a program together, by the clock. A backstop for a thread that hangs, or for a machine so slow or
   * busy that executed time no longer limits the wait. Verdicts from this limit say so.
   */
  wallMs: number
  /** Limit of the guest's heap, between 16 and 256 MB (MEMORY_LIMITS). A program that needs more is stopped. */
  memoryBytes: number
  /** Limit of the printed lines, and of a result as JSON. */
  outputCharacters: number
}

export const DEFAULT_LIMITS: Limits = {
  executedMs: 1000,
  wallMs: 20_000,
  memoryBytes: 64 * 2 ** 20,
  outputCharacters: 2 ** 16,
}

/** A program with its tests. Every test runs it afresh, so no test sees another's globals. */
export interface JudgeJob {
  source: string
  tests: readonly Test[]
  limits: Limits
}

/**
 * A checker's own limits. The program's time and memory do not count: the machine is restored before the checker runs.
 */
export const CHECKER_LIMITS = { executedMs: 1000, memoryBytes: 64 * 2 ** 20, outputCharacters: 2 ** 16 } as const

/**
 * `executedMs` is the executed time of the test; 0 if unknown because the program ended the thread. `checkedMs` is the executed
 * time of the checker, if one was asked.
 */
export type Verdict = { executedMs: number; checkedMs?: number } & (
  | { kind: 'passed' }
  /** Both as JSON or as printed, shortened for display. */
  | { kind: 'wrong answer'; expected: string; got: string }
  | { kind: 'runtime error'; message: string }
  | { kind: 'syntax error'; message: string }
  | { kind: 'time limit'; by: 'executed time' | 'clock' }
  | { kind: 'memory limit' }
  | { kind: 'output limit' }
  /** The checker is at fault; this says nothing about the program. */
  | { kind: 'checker failed'; message: string }
)

/** The verdicts of one program, one per test. */
export type JudgeResult = Verdict[]

export interface JudgePort {
  /** Returns results in the order of the jobs. Whatever a program does is a verdict; thrown errors are the judge's own. */
  judge(jobs: readonly JudgeJob[], signal?: AbortSignal): Promise<JudgeResult[]>
}
