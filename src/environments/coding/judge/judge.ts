/**
 * Judges programs one after the other in this thread. It blocks while one runs, for as long as its limits allow: outside
 * of tests it belongs into a worker (workers/judge.ts).
 */
import { isSameJson, isSameText } from './comparison.ts'
import { loadEngine } from './engine-binary.ts'
import { EngineError, ExhaustedError, GuestError, MEMORY_LIMITS, Machine, type GuestValue } from './machine.ts'
import {
  FUEL_PER_MS,
  type JudgeJob,
  type JudgeResult,
  type Json,
  type Limits,
  type Test,
  type Verdict,
} from './verdict.ts'

const FILE = 'program.js'
const LINE = /program\.js:(\d+)/
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u
const LONGEST_EXECUTED_MS = 8000
/** Characters of an answer, expected or given, that a verdict keeps. */
const SHOWN_CHARACTERS = 500
/** Executed milliseconds that it may take a thrown value to say what it is. */
const DESCRIPTION_MS = 10

type Ruling = Verdict extends infer Each ? (Each extends unknown ? Omit<Each, 'executedMs'> : never) : never

export class Judge {
  #engine: Promise<WebAssembly.Module> | null = null
  #machine: Promise<Machine> | null = null

  /** Resolves when programs can be judged; `judge` waits for it as well. Throws an Error if the engine does not load. */
  async load(): Promise<void> {
    await this.#booted()
  }

  /** Throws a TypeError or a RangeError for a job that is not well formed. */
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
      else verdicts.push(judgeTest(machine, source, test, limits))
      if (machine.isSpent) this.#machine = null
    }
    return verdicts
  }

  async #booted(): Promise<Machine> {
    const engine = (this.#engine ??= loadEngine())
    const machine = (this.#machine ??= engine.then(Machine.boot))
    try {
      return await machine
    } catch (error) {
      // The next call tries again: what could not be fetched now may be later.
      this.#engine = this.#machine = null
      throw error
    }
  }
}

/** One test, at once. The machine may be spent afterwards. */
export function judgeTest(machine: Machine, source: string, test: Test, limits: Limits): Verdict {
  return new Run(machine, source, limits).judge(test)
}

/** One program on one test. */
class Run {
  readonly #machine: Machine
  readonly #source: string
  readonly #limits: Limits
  readonly #fuel: number
  #isEvaluated = false

  constructor(machine: Machine, source: string, limits: Limits) {
    this.#machine = machine
    this.#source = source
    this.#limits = limits
    this.#fuel = Math.ceil(limits.executedMs * FUEL_PER_MS)
  }

  judge(test: Test): Verdict {
    try {
      const ruling = test.kind === 'call' ? this.#call(test) : this.#print(test)
      return { ...ruling, executedMs: this.#executedMs() }
    } catch (error) {
      const executedMs = this.#executedMs()
      return { ...this.#failure(error), executedMs }
    }
  }

  #call(test: Test & { kind: 'call' }): Ruling {
    this.#evaluate('', test.arguments)
    const callee = this.#machine.evaluate(test.functionName, 'judge.js')
    const value = this.#settled(this.#machine.call('invoke', callee))
    const answer = this.#machine.text(this.#machine.call('encode', value))
    if (answer.startsWith('>')) return { kind: 'output limit' }
    const expected = JSON.stringify(test.expected)
    if (answer.startsWith('!')) return wrongAnswer(expected, answer.slice(1))
    const got = answer.slice(1)
    return isSameJson(JSON.parse(got) as Json, test.expected) ? { kind: 'passed' } : wrongAnswer(expected, got)
  }

  #print(test: Test & { kind: 'stdio' }): Ruling {
    this.#evaluate(test.input, [])
    const output = this.#machine.text(this.#machine.call('output'))
    if (output.startsWith('>')) return { kind: 'output limit' }
    const got = JSON.parse(output.slice(1)) as string
    return isSameText(got, test.expected) ? { kind: 'passed' } : wrongAnswer(test.expected, got)
  }

  #evaluate(input: string, values: readonly Json[]): void {
    const machine = this.#machine
    machine.restore(this.#limits.memoryBytes)
    machine.call('begin', JSON.stringify([input, values, this.#limits.outputCharacters]))
    machine.fuel = this.#fuel
    machine.evaluate(this.#source, FILE)
    this.#isEvaluated = true
    machine.settle()
  }

  /** The value that a promise was fulfilled with, or the value itself. */
  #settled(value: GuestValue): GuestValue {
    this.#machine.settle()
    switch (this.#machine.promiseState(value)) {
      case 'none':
        return value
      case 'fulfilled':
        return this.#machine.promiseResult(value)
      case 'rejected':
        throw new GuestError(this.#machine.promiseResult(value))
      case 'pending':
        throw new UnsettledError()
    }
  }

  #executedMs(): number {
    // While arguments are still being read there is more fuel than was given for the program.
    return Math.max(this.#fuel - Math.max(this.#machine.fuel, 0), 0) / FUEL_PER_MS
  }

  #failure(error: unknown): Ruling {
    if (error instanceof GuestError) return this.#thrown(error)
    if (error instanceof UnsettledError) return runtimeError('its promise was never settled')
    if (error instanceof EngineError) return runtimeError('it broke the engine that ran it')
    if (!(error instanceof ExhaustedError)) throw error
    if (error.what === 'fuel') return { kind: 'time limit', by: 'executed time' }
    return error.what === 'stack' ? runtimeError('stack overflow') : { kind: 'memory limit' }
  }

  #thrown({ thrown }: GuestError): Ruling {
    const description = this.#described(thrown)
    if (description === null) return runtimeError('it threw something that cannot be described')
    const { ranOutOf, name, message, line } = description
    if (ranOutOf === 'memory') return { kind: 'memory limit' }
    if (ranOutOf === 'output') return { kind: 'output limit' }
    const said = `${name === '' ? 'it threw ' : `${name}: `}${message}${line === undefined ? '' : ` (line ${line})`}`
    return name === 'SyntaxError' && !this.#parses() ? { kind: 'syntax error', message: said } : runtimeError(said)
  }

  /** Asks what was thrown, which may run what the program put there: with little fuel. */
  #described(thrown: GuestValue): Description | null {
    try {
      this.#machine.fuel = DESCRIPTION_MS * FUEL_PER_MS
      const json = this.#machine.text(this.#machine.call('describe', thrown))
      const [ranOutOf, name, message, stack] = JSON.parse(json) as [Description['ranOutOf'], string, string, string]
      return { ranOutOf, name, message, line: LINE.exec(stack)?.[1] }
    } catch (error) {
      if (isOfProgram(error)) return null
      throw error
    }
  }

  /** A program may throw a SyntaxError itself; only one that cannot be read at all has that verdict. */
  #parses(): boolean {
    if (this.#isEvaluated) return true
    this.#machine.restore(this.#limits.memoryBytes)
    try {
      this.#machine.compile(this.#source, FILE)
      return true
    } catch (error) {
      if (!isOfProgram(error)) throw error
      return !(error instanceof GuestError)
    }
  }
}

interface Description {
  ranOutOf: '' | 'memory' | 'output'
  name: string
  message: string
  /** Digits. */
  line: string | undefined
}

class UnsettledError extends Error {}

/** What a program can bring about; anything else is a mistake of the judge. */
function isOfProgram(error: unknown): boolean {
  return error instanceof GuestError || error instanceof ExhaustedError || error instanceof EngineError
}

function runtimeError(message: string): Ruling {
  return { kind: 'runtime error', message }
}

function wrongAnswer(expected: string, got: string): Ruling {
  return { kind: 'wrong answer', expected: shortened(expected), got: shortened(got) }
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
      throw new TypeError(`A test calls "${test.functionName}", which is no name of a function.`)
  }
}
