/**
 * Evaluates a spec: the exact value after every step.
 *
 * Steps are total functions, even outside the range of problems, so the results of wrong programs are known too. An input is in
 * range if every number on the way, including running totals, is an integer of at most two digits, lists and strings are short,
 * and no step takes the remainder of a negative number or the largest of nothing (on which languages and people disagree).
 */
import type { Json } from '../judge/verdict.ts'
import { ALPHABET, isCondition, type Constant, type Op, type Spec, type Step } from './spec.ts'

export const LARGEST_NUMBER = 99
export const LONGEST_LIST = 6
export const LONGEST_TEXT = 8

export type Value = number | string | readonly number[]

export interface TracedStep {
  /** After the step. */
  value: Value
  /**
   * Intermediate results: all values of the running total, extremum or count; or whether the condition held.
   */
  working: readonly number[] | boolean | null
}

type Evaluation =
  | { isInRange: true; trace: readonly TracedStep[]; output: Value }
  | { isInRange: false; reason: string }

/** `inputs` are the arguments of `f`. */
export function evaluate(spec: Spec, inputs: readonly Json[]): Evaluation {
  const refuse = (reason: string): Evaluation => ({ isInRange: false, reason })
  const start = startOf(spec, inputs)
  if (start === null) return refuse('The arguments are not of the types that f takes.')
  const fault = valueFault(start)
  if (fault) return refuse(fault)
  const trace: TracedStep[] = []
  let value = start
  for (const step of spec.steps) {
    const before = stepFault(step, value)
    if (before) return refuse(before)
    const traced = applyStep(step, value)
    const after = valueFault(traced.value) ?? (Array.isArray(traced.working) ? numbersFault(traced.working) : null)
    if (after) return refuse(after)
    trace.push(traced)
    value = traced.value
  }
  return { isInRange: true, trace, output: value }
}

/** The result of f, in range or not; null if the arguments have the wrong types. */
export function outputOf(spec: Spec, inputs: readonly Json[]): Value | null {
  const start = startOf(spec, inputs)
  return start === null ? null : spec.steps.reduce((value, step) => applyStep(step, value).value, start)
}

/** Like `isSameJson`. */
export function isSameValue(a: Value | null, b: Value | null): boolean {
  if (a === b) return true
  if (!isList(a) || !isList(b)) return false
  return a.length === b.length && a.every((element, i) => element === b[i])
}

/** The value that the first step takes. A pair of arguments is a list of two numbers. */
function startOf({ kind, steps }: Spec, inputs: readonly Json[]): Value | null {
  if (steps[0] && steps[0].op in COMBINATIONS && kind === 'arithmetic') {
    return inputs.length === 2 && inputs.every((input) => typeof input === 'number') ? inputs : null
  }
  if (inputs.length !== 1) return null
  const [input] = inputs
  if (kind === 'strings') return typeof input === 'string' ? input : null
  if (kind !== 'arrays') return typeof input === 'number' ? input : null
  return Array.isArray(input) && input.every((element) => typeof element === 'number') ? input : null
}

function valueFault(value: Value): string | null {
  if (typeof value === 'string') {
    if (value.length > LONGEST_TEXT) return `A string has more than ${LONGEST_TEXT} letters.`
    return [...value].every((letter) => ALPHABET.includes(letter))
      ? null
      : `A string has letters other than ${ALPHABET}.`
  }
  if (typeof value === 'number') return numbersFault([value])
  return value.length > LONGEST_LIST ? `A list has more than ${LONGEST_LIST} numbers.` : numbersFault(value)
}

function numbersFault(numbers: readonly number[]): string | null {
  const isSmall = numbers.every((number) => Number.isInteger(number) && Math.abs(number) <= LARGEST_NUMBER)
  return isSmall ? null : `A number is not an integer between -${LARGEST_NUMBER} and ${LARGEST_NUMBER}.`
}

function stepFault({ op }: Step, value: Value): string | null {
  if (op === 'remainder' && (value as number) < 0) return 'The remainder of a negative number is asked for.'
  if ((op === 'largest' || op === 'smallest') && (value as readonly number[]).length === 0)
    return `The ${op} of no numbers is asked for.`
  return null
}

// -------------------------------------------------------------------------------------------------- operations

const COMBINATIONS: Partial<Record<Op, (a: number, b: number) => number>> = {
  'add-both': (a, b) => a + b,
  'subtract-both': (a, b) => a - b,
  'multiply-both': (a, b) => a * b,
  larger: Math.max,
  smaller: Math.min,
}

/** Removes the sign of zero, which JSON does not keep either. */
const unsigned = (x: number) => (x === 0 ? 0 : x)

const NUMBERS: Partial<Record<Op, (x: number, constant: number) => number>> = {
  add: (x, by) => x + by,
  subtract: (x, by) => x - by,
  multiply: (x, by) => unsigned(x * by),
  remainder: (x, by) => unsigned(x % by),
  'at-least': (x, limit) => Math.max(x, limit),
  'at-most': (x, limit) => Math.min(x, limit),
  negate: (x) => unsigned(-x),
  absolute: (x) => Math.abs(x),
  square: (x) => x * x,
}

const CONDITIONS: Partial<Record<string, (x: number, limit: number) => boolean>> = {
  above: (x, limit) => x > limit,
  below: (x, limit) => x < limit,
  even: (x) => x % 2 === 0,
  odd: (x) => x % 2 !== 0,
}

const LISTS: Partial<Record<Op, (xs: readonly number[], constant: number) => readonly number[]>> = {
  'sort-up': (xs) => [...xs].sort((a, b) => a - b),
  'sort-down': (xs) => [...xs].sort((a, b) => b - a),
  'reverse-list': (xs) => [...xs].reverse(),
  take: (xs, n) => xs.slice(0, n),
  drop: (xs, n) => xs.slice(n),
}

const TEXTS: Partial<Record<Op, (s: string, ...constants: readonly Constant[]) => string>> = {
  'reverse-text': (s) => [...s].reverse().join(''),
  'first-letters': (s, n) => s.slice(0, n as number),
  'last-letters': (s, n) => s.slice(-(n as number)),
  'drop-letters': (s, n) => s.slice(n as number),
  append: (s, letter) => s + letter,
  prepend: (s, letter) => letter + s,
  remove: (s, letter) => s.replaceAll(letter as string, ''),
  replace: (s, old, fresh) => s.replaceAll(old as string, fresh as string),
  'sort-letters': (s) => [...s].sort().join(''),
  twice: (s) => s + s,
}

/** Applies one step to a value of the type that it takes. */
export function applyStep(step: Step, value: Value): TracedStep {
  const { op, constants, arms } = step
  const constant = constants[0] as number
  if (isCondition(op)) {
    const holds = conditionOf(op)(value as number, constant)
    return { value: applyStep(arms![holds ? 0 : 1], value).value, working: holds }
  }
  const plain = (result: Value): TracedStep => ({ value: result, working: null })
  if (NUMBERS[op]) return plain(NUMBERS[op](value as number, constant))
  if (TEXTS[op]) return plain(TEXTS[op](value as string, ...constants))
  if (op === 'range' || op === 'range-below') return plain(numbersFrom(constant, value as number, op === 'range'))
  if (op === 'letters' || op === 'count-letter') {
    return counted([...(value as string)].map((letter) => op === 'letters' || letter === constants[0]))
  }
  const xs = value as readonly number[]
  if (COMBINATIONS[op]) return plain(unsigned(COMBINATIONS[op](xs[0]!, xs[1]!)))
  if (LISTS[op]) return plain(LISTS[op](xs, constant))
  if (op.startsWith('each-')) {
    const change = NUMBERS[op.slice('each-'.length) as Op]!
    return plain(xs.map((x) => change(x, constant)))
  }
  if (op.startsWith('keep-')) return plain(xs.filter((x) => conditionOf(op)(x, constant)))
  if (op === 'count') return counted(xs.map(() => true))
  if (op === 'sum') return folded(xs, (a, b) => a + b, 0)
  if (op === 'largest' || op === 'smallest') {
    const better = op === 'largest' ? Math.max : Math.min
    return xs.length === 0 ? plain(op === 'largest' ? -Infinity : Infinity) : folded(xs.slice(1), better, xs[0]!)
  }
  throw new TypeError(`The operation "${op}" has no meaning.`)
}

function conditionOf(op: Op): (x: number, limit: number) => boolean {
  return CONDITIONS[op.slice(op.indexOf('-') + 1)]!
}

/** Stops a few numbers beyond the longest list, since longer lists are out of range anyway. */
function numbersFrom(first: number, bound: number, isInclusive: boolean): readonly number[] {
  const length = Math.max(0, bound - first + (isInclusive ? 1 : 0))
  return Array.from({ length: Math.min(length, LONGEST_LIST + 3) }, (_, i) => first + i)
}

function folded(xs: readonly number[], join: (a: number, b: number) => number, start: number): TracedStep {
  const working = [start]
  for (const x of xs) working.push(join(working.at(-1)!, x))
  return { value: working.at(-1)!, working }
}

function counted(isCounted: readonly boolean[]): TracedStep {
  return folded(
    isCounted.map((is) => (is ? 1 : 0)),
    (a, b) => a + b,
    0,
  )
}

function isList(value: Value | null): value is readonly number[] {
  return Array.isArray(value)
}
