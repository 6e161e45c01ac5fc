/**
 * Judges programs one by one in this thread. It blocks while a program runs, for as long as the limits allow, so outside tests
 * it runs in a worker (workers/judge.ts).
 */
import { askChecker, type Question } from './checker.ts'
import { isSameJson, isSameText } from './comparison.ts'
import { loadEngine } from '../../sandbox/engine-binary.ts'
import { GuestRun } from './guest-run.ts'
import { MEMORY_LIMITS, Machine } from '../../sandbox/machine.ts'
import type { CheckedTest, JudgeJob, JudgeResult, Json, Limits, PlainTest, Test, Verdict } from './verdict.ts'

const FILE = 'program.js'
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u
const LONGEST_EXECUTED_MS = 8000
/** Most characters of an answer that a verdict keeps. */
const SHOWN_CHARACTERS = 500
/** Shown instead of an expected answer if there is a checker. */
const WHAT_CHECKER_ACCEPTS = 'what the checker accepts'

type Ruling = Verdict extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'executedMs' | 'checkedMs'>
    : never
  : never

/** An answer for the checker to judge. */
interface Unchecked {
  kind: 'unchecked'
  checker: string
  question: Question
  executedMs: number
}

export class Judge {
  #machine: Promise<Machine> | null = null

  /** Resolves when the engine is loaded; `judge` waits for it as well. Throws an Error if it does not load. */
  async load(): Promise<void> {
    await this.#booted()
  }

  /** Throws a TypeError or a RangeError for an invalid job. */
  async judge(job: JudgeJob): Promise<JudgeResult> {
    checkJob(job)
    const { source, tests, limits } = job
    await this.load()
    const startedAt = performance.now()
    const verdicts: Verdict[] = []
    for (const test of tests) {
      const machine = await this.#booted()
      const isLate = performance.now() - startedAt > limits.wallMs
      if (isLate) verdicts.push({ kind: 'time limit', by: 'clock', executedMs: 0 })
      else {
        const isPlain = test.checker === undefined
        const verdict = isPlain ? judgeTest(machine, source, test, limits) : answerTest(machine, source, test, limits)
        if (machine.isSpent) this.#machine = null
        verdicts.push(verdict.kind === 'unchecked' ? await this.#checked(verdict) : verdict)
      }
    }
    return verdicts
  }

  async #checked({ checker, question, executedMs }: Unchecked): Promise<Verdict> {
    const machine = await this.#booted()
    const { checkedMs, ...ruling } = askChecker(machine, checker, question)
    if (machine.isSpent) this.#machine = null
    const times = { executedMs, checkedMs }
    if (ruling.kind === 'accepted') return { kind: 'passed', ...times }
    if (ruling.kind === 'failed') return { kind: 'checker failed', message: ruling.message, ...times }
    const { output } = question
    const isPrinted = typeof question.input === 'string' && typeof output === 'string'
    const got = isPrinted ? output : JSON.stringify(output)
    return { ...wrongAnswer(WHAT_CHECKER_ACCEPTS, got), ...times }
  }

  async #booted(): Promise<Machine> {
    const machine = (this.#machine ??= loadEngine().then(Machine.boot))
    try {
      return await machine
    } catch (error) {
      // Lets the next call try again.
      this.#machine = null
      throw error
    }
  }
}

/** Runs one test synchronously. The machine may be spent afterwards. */
export function judgeTest(machine: Machine, source: string, test: PlainTest, limits: Limits): Verdict {
  return runTest(machine, source, test, limits, comparedWith(test))
}

/** Runs a test up to the program's answer. A test that brings an answer runs no program. */
function answerTest(machine: Machine, source: string, test: CheckedTest, limits: Limits): Verdict | Unchecked {
  const { checker, expected } = test
  if (test.kind === 'answer') {
    return { kind: 'unchecked', checker, question: { input: test.input, output: test.answer, expected }, executedMs: 0 }
  }
  const input = test.kind === 'call' ? test.arguments : test.input
  return runTest(machine, source, test, limits, (output) => ({
    kind: 'unchecked' as const,
    checker,
    question: { input, output, expected },
  }))
}

function comparedWith(test: PlainTest): (output: Json) => Ruling {
  if (test.kind === 'call') {
    const { expected } = test
    return (output) =>
      isSameJson(output, expected) ? { kind: 'passed' } : wrongAnswer(JSON.stringify(expected), JSON.stringify(output))
  }
  const { expected } = test
  return (output) =>
    isSameText(output as string, expected) ? { kind: 'passed' } : wrongAnswer(expected, output as string)
}

/** `rule` judges the answer: a JSON value, or the printed text. */
function runTest<Answered extends { kind: string }>(
  machine: Machine,
  source: string,
  test: Exclude<Test, { kind: 'answer' }>,
  limits: Limits,
  rule: (output: Json) => Answered,
): Verdict | (Answered & { executedMs: number }) {
  const run = new GuestRun(machine, { source, file: FILE }, limits)
  try {
    run.evaluate(test.kind === 'stdio' ? test.input : '', test.kind === 'call' ? test.arguments : [])
    const said = test.kind === 'call' ? run.call(test.functionName) : run.output()
    const { executedMs } = run
    if (said.startsWith('>')) return { kind: 'output limit', executedMs }
    if (said.startsWith('!')) return { ...wrongAnswer(shownExpected(test), said.slice(1)), executedMs }
    return { ...rule(JSON.parse(said.slice(1)) as Json), executedMs }
  } catch (error) {
    const { executedMs } = run
    return { ...run.failure(error), executedMs }
  }
}

function shownExpected({ expected, checker }: Test): string {
  return checker === undefined ? JSON.stringify(expected) : WHAT_CHECKER_ACCEPTS
}

function wrongAnswer(expected: string, got: string) {
  return { kind: 'wrong answer' as const, expected: shortened(expected), got: shortened(got) }
}

function shortened(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)} … (${text.length} characters)`
}

function checkJob({ tests, limits }: JudgeJob): void {
  const { executedMs, memoryBytes } = limits
  if (!(executedMs > 0 && executedMs <= LONGEST_EXECUTED_MS))
    throw new RangeError(`An executed time of ${executedMs} ms is not between 0 and ${LONGEST_EXECUTED_MS}.`)
  const { least, most } = MEMORY_LIMITS
  if (!(memoryBytes >= least && memoryBytes <= most))
    throw new RangeError(`A memory limit of ${memoryBytes} bytes is not between ${least} and ${most}.`)
  for (const test of tests) {
    if (test.kind === 'call' && !IDENTIFIER.test(test.functionName))
      throw new TypeError(`A test calls "${test.functionName}", which is not a function name.`)
  }
}
