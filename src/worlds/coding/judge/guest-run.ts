/** Runs one script, a program or a checker, in a restored machine, and describes how it failed. */
import { EngineError, ExhaustedError, GuestError, type GuestValue } from '../../sandbox/guest-errors.ts'
import type { Machine } from '../../sandbox/machine.ts'
import { FUEL_PER_MS } from '../../sandbox/metering.ts'
import { describeThrown, isOfScript } from '../../sandbox/thrown.ts'
import type { Json, Limits } from './verdict.ts'

interface Script {
  source: string
  /** Its name in errors: "program.js". */
  file: string
}

/** How a script can fail. */
export type Failure =
  | { kind: 'runtime error'; message: string }
  | { kind: 'syntax error'; message: string }
  | { kind: 'time limit'; by: 'executed time' }
  | { kind: 'memory limit' }
  | { kind: 'output limit' }

/** `failure` turns errors of the methods into a Failure; any other error is a bug in the judge. */
export class GuestRun {
  readonly #machine: Machine
  readonly #script: Script
  readonly #limits: Omit<Limits, 'wallMs'>
  readonly #fuel: number
  #isEvaluated = false

  constructor(machine: Machine, script: Script, limits: Omit<Limits, 'wallMs'>) {
    this.#machine = machine
    this.#script = script
    this.#limits = limits
    this.#fuel = Math.ceil(limits.executedMs * FUEL_PER_MS)
  }

  /** Executed time so far. */
  get executedMs(): number {
    // While the judge reads the arguments, there is more fuel than the script gets.
    return Math.max(this.#fuel - Math.max(this.#machine.fuel, 0), 0) / FUEL_PER_MS
  }

  /** Restores the machine and runs the script. `values` are the arguments of a later call. */
  evaluate(input: string, values: readonly Json[]): void {
    const machine = this.#machine
    machine.restore(this.#limits.memoryBytes)
    machine.call('begin', JSON.stringify([input, values, this.#limits.outputCharacters]))
    machine.fuel = this.#fuel
    machine.evaluate(this.#script.source, this.#script.file)
    this.#isEvaluated = true
    machine.settle()
  }

  /** Whether the script has defined a function of this name. */
  defines(functionName: string): boolean {
    const kind = this.#machine.evaluate(`typeof ${functionName}`, 'judge.js')
    return this.#machine.text(kind) === 'function'
  }

  /** Calls a function of the script with the arguments from `evaluate`: '=' and JSON, '>' or '!' (guest-prelude.ts, `encode`). */
  call(functionName: string): string {
    const callee = this.#machine.evaluate(functionName, 'judge.js')
    const value = this.#settled(this.#machine.call('invoke', callee))
    return this.#machine.text(this.#machine.call('encode', value))
  }

  /** The printed text: '=' and a JSON string, or '>'. */
  output(): string {
    return this.#machine.text(this.#machine.call('output'))
  }

  /** Rethrows errors that the script did not cause. */
  failure(error: unknown): Failure {
    if (error instanceof GuestError) return this.#thrown(error)
    if (error instanceof UnsettledError) return runtimeError('its promise was never settled')
    if (error instanceof EngineError) return runtimeError('it broke the engine that ran it')
    if (!(error instanceof ExhaustedError)) throw error
    if (error.what === 'fuel') return { kind: 'time limit', by: 'executed time' }
    return error.what === 'stack' ? runtimeError('stack overflow') : { kind: 'memory limit' }
  }

  /** The value that a promise was fulfilled with, or the value itself if it is not a promise. */
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

  #thrown(error: GuestError): Failure {
    const thrown = describeThrown(this.#machine, error, this.#script.file)
    if (thrown === null) return runtimeError('it threw something that cannot be described')
    const { ranOutOf, name, text } = thrown
    if (ranOutOf === 'memory') return { kind: 'memory limit' }
    if (ranOutOf === 'output') return { kind: 'output limit' }
    return name === 'SyntaxError' && !this.#parses() ? { kind: 'syntax error', message: text } : runtimeError(text)
  }

  /** A script may throw a SyntaxError itself; the verdict is for scripts that cannot be parsed. */
  #parses(): boolean {
    if (this.#isEvaluated) return true
    this.#machine.restore(this.#limits.memoryBytes)
    try {
      this.#machine.compile(this.#script.source, this.#script.file)
      return true
    } catch (error) {
      if (!isOfScript(error)) throw error
      return !(error instanceof GuestError)
    }
  }
}

class UnsettledError extends Error {}

function runtimeError(message: string): Failure {
  return { kind: 'runtime error', message }
}
