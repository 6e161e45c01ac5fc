/** What a script threw, in words. */
import { EngineError, ExhaustedError, GuestError } from './guest-errors.ts'
import type { Machine } from './machine.ts'
import { FUEL_PER_MS } from './metering.ts'

const DESCRIPTION_MS = 10

export interface Thrown {
  /** What the script had no more of when it threw; '' if that is not why. */
  ranOutOf: '' | 'memory' | 'output'
  /** Name of an Error, such as "TypeError"; '' for any other value. */
  name: string
  /** "TypeError: x is undefined (line 3)" */
  text: string
}

/**
 * Describes the value. This may run code of the script, so it gets little fuel; null if that is not enough. `file` is the script's name
 * in stacks.
 */
export function describeThrown(machine: Machine, { thrown }: GuestError, file: string): Thrown | null {
  try {
    machine.fuel = DESCRIPTION_MS * FUEL_PER_MS
    const json = machine.text(machine.call('describe', thrown))
    const [ranOutOf, name, message, stack] = JSON.parse(json) as [Thrown['ranOutOf'], string, string, string]
    const line = lineIn(stack, file)
    const text = `${name === '' ? 'it threw ' : `${name}: `}${message}${line === undefined ? '' : ` (line ${line})`}`
    return { ranOutOf, name, text }
  } catch (error) {
    if (isOfScript(error)) return null
    throw error
  }
}

/** Whether a script can cause this error. */
export function isOfScript(error: unknown): boolean {
  return error instanceof GuestError || error instanceof ExhaustedError || error instanceof EngineError
}

/** Digits after the first mention of the file in a stack: "    at f (program.js:4:12)". */
function lineIn(stack: string, file: string): string | undefined {
  const at = stack.indexOf(`${file}:`)
  return at < 0 ? undefined : /^\d+/.exec(stack.slice(at + file.length + 1))?.[0]
}
