/**
 * The spec of a generated problem: a chain of one to four steps from the arguments of `f` to its result. Each step is an operation
 * with small constants, so a tiny model can follow the chain in a scratchpad:
 *
 *     arrays       keep the numbers above 3 → multiply each by 2 → take the sum          f(xs)
 *     conditions   add 2 → if it is above 5 negate it else subtract 3                    f(x)
 *
 * Everything else follows from it: meaning (semantics.ts), statement (statement.ts) and reference solution (program.ts).
 */

export const KINDS = ['arithmetic', 'conditions', 'strings', 'arrays', 'loops'] as const
export type Kind = (typeof KINDS)[number]

/** `pair` is f(a, b), `bound` the n that a loop runs to. */
export type ValueType = 'pair' | 'number' | 'bound' | 'list' | 'text'
export type Constant = number | string

export const MOST_STEPS = 4
/** Letters that strings are made of. */
export const ALPHABET = 'abcde'

interface Operation {
  takes: ValueType
  gives: ValueType
  /** [constant] its allowed values. */
  slots: readonly (readonly Constant[])[]
  /** How hard the step is, in average steps. Decides whether a rewrite is harder or easier. */
  effort: number
}

const range = (low: number, high: number) => Array.from({ length: high - low + 1 }, (_, i) => low + i)
const AMOUNTS = range(1, 9)
const FACTORS = range(2, 4)
const DIVISORS = range(2, 5)
const LIMITS = range(-2, 9)
const LENGTHS = range(2, 4)
const LETTERS = [...ALPHABET]

const operation =
  (takes: ValueType, gives: ValueType) =>
  (effort: number, ...slots: (readonly Constant[])[]): Operation => ({ takes, gives, slots, effort })
const combination = operation('pair', 'number')
const onNumber = operation('number', 'number')
const toList = operation('bound', 'list')
const onList = operation('list', 'list')
const ofList = operation('list', 'number')
const onText = operation('text', 'text')
const ofText = operation('text', 'number')

export const OPERATIONS = {
  'add-both': combination(0.8),
  'subtract-both': combination(1),
  'multiply-both': combination(1.2),
  larger: combination(1),
  smaller: combination(1),

  add: onNumber(0.8, AMOUNTS),
  subtract: onNumber(0.9, AMOUNTS),
  multiply: onNumber(1, FACTORS),
  remainder: onNumber(1.3, DIVISORS),
  'at-least': onNumber(1.2, LIMITS),
  'at-most': onNumber(1.2, LIMITS),
  negate: onNumber(0.7),
  absolute: onNumber(0.8),
  square: onNumber(1.1),

  /** Conditions, which choose between two steps (Step.arms). */
  'if-above': onNumber(2, LIMITS),
  'if-below': onNumber(2, LIMITS),
  'if-even': onNumber(2),
  'if-odd': onNumber(2),

  range: toList(1, range(0, 3)),
  'range-below': toList(1.1, range(0, 3)),

  'each-add': onList(1, AMOUNTS),
  'each-subtract': onList(1.1, AMOUNTS),
  'each-multiply': onList(1.2, FACTORS),
  'each-negate': onList(0.9),
  'each-absolute': onList(1),
  'each-square': onList(1.3),
  'keep-above': onList(1.1, LIMITS),
  'keep-below': onList(1.1, LIMITS),
  'keep-even': onList(1.1),
  'keep-odd': onList(1.1),
  'sort-up': onList(1.4),
  'sort-down': onList(1.4),
  'reverse-list': onList(0.8),
  take: onList(0.8, LENGTHS),
  drop: onList(0.8, LENGTHS),
  sum: ofList(1.2),
  largest: ofList(0.9),
  smallest: ofList(0.9),
  count: ofList(0.8),

  'reverse-text': onText(1),
  'first-letters': onText(0.8, LENGTHS),
  'last-letters': onText(0.9, LENGTHS),
  'drop-letters': onText(0.8, LENGTHS),
  append: onText(0.8, LETTERS),
  prepend: onText(0.8, LETTERS),
  remove: onText(1, LETTERS),
  replace: onText(1.2, LETTERS, LETTERS),
  'sort-letters': onText(1.4),
  twice: onText(0.9),
  letters: ofText(0.8),
  'count-letter': ofText(1, LETTERS),
} as const satisfies Record<string, Operation>

export type Op = keyof typeof OPERATIONS
type ConditionOp = 'if-above' | 'if-below' | 'if-even' | 'if-odd'

export interface Step {
  op: Op
  /** One for each slot of the operation. */
  constants: readonly Constant[]
  /** Steps for a condition that holds and for one that does not, both on numbers and without arms. Only for `if-` operations. */
  arms?: readonly [Step, Step]
}

export interface Spec {
  kind: Kind
  steps: readonly Step[]
}

export const OPS = Object.keys(OPERATIONS) as Op[]

export function isCondition(op: Op): op is ConditionOp {
  return op.startsWith('if-')
}

const isOf = (...types: ValueType[]) => OPS.filter((op) => types.includes(OPERATIONS[op].takes))
const NUMBER_OPS = isOf('number').filter((op) => !isCondition(op))
/** Operations on the numbers of a loop, and on what it gathers. */
const LOOP_OPS = isOf('list').filter((op) => /^(each|keep)-|^(sum|count)$/.test(op) && op !== 'each-absolute')
const SIMPLE_NUMBER_OPS: Op[] = ['add', 'subtract', 'multiply', 'negate']

/** Operations of each kind of problem. */
export const OPS_OF_KIND: Record<Kind, readonly Op[]> = {
  arithmetic: [...isOf('pair'), ...NUMBER_OPS],
  conditions: isOf('number'),
  strings: [...isOf('text'), ...SIMPLE_NUMBER_OPS],
  arrays: [...isOf('list'), ...SIMPLE_NUMBER_OPS],
  loops: [...isOf('bound'), ...LOOP_OPS],
}
/** Operations of the arms of a condition. */
export const ARM_OPS: readonly Op[] = ['add', 'subtract', 'multiply', 'negate', 'square']

/** Input of f, by kind. The first step of an arithmetic problem may take a pair instead. */
const INPUT_OF_KIND: Record<Kind, ValueType> = {
  arithmetic: 'number',
  conditions: 'number',
  strings: 'text',
  arrays: 'list',
  loops: 'bound',
}

export function inputTypeOf({ kind, steps }: Spec): ValueType {
  const isPair = kind === 'arithmetic' && steps[0] !== undefined && OPERATIONS[steps[0].op].takes === 'pair'
  return isPair ? 'pair' : INPUT_OF_KIND[kind]
}

export function outputTypeOf(spec: Spec): ValueType {
  const last = spec.steps.at(-1)
  return last ? OPERATIONS[last.op].gives : inputTypeOf(spec)
}

export const PARAMETERS: Record<ValueType, readonly string[]> = {
  pair: ['a', 'b'],
  number: ['x'],
  bound: ['n'],
  list: ['xs'],
  text: ['s'],
}

/** Why the steps are not a problem of the kind, in one sentence; null if they are. Does not evaluate them. */
export function malformation(spec: Spec): string | null {
  const { kind, steps } = spec
  if (steps.length < 1 || steps.length > MOST_STEPS)
    return `A problem has 1 to ${MOST_STEPS} steps, not ${steps.length}.`
  let type = inputTypeOf(spec)
  for (const [i, step] of steps.entries()) {
    const { takes, gives } = OPERATIONS[step.op]
    if (!OPS_OF_KIND[kind].includes(step.op)) return `Step ${i + 1} does not belong into a problem about ${kind}.`
    if (takes !== type) return `Step ${i + 1} needs ${NOUNS[takes]}, and there is ${NOUNS[type]}.`
    const fault = stepFault(step)
    if (fault) return `Step ${i + 1} ${fault}.`
    type = gives
  }
  if (kind === 'conditions' && !steps.some(({ op }) => isCondition(op))) return 'No step has a condition.'
  return null
}

const NOUNS: Record<ValueType, string> = {
  pair: 'two numbers',
  number: 'a number',
  bound: 'a number to count to',
  list: 'a list',
  text: 'a string',
}

function stepFault({ op, constants, arms }: Step): string | null {
  const slots: readonly (readonly Constant[])[] = OPERATIONS[op].slots
  if (constants.length !== slots.length) return 'has the wrong number of constants'
  const misfit = constants.find((constant, i) => !slots[i]!.includes(constant))
  if (misfit !== undefined) return `cannot have the constant ${JSON.stringify(misfit)}`
  if (op === 'replace' && constants[0] === constants[1]) return 'replaces a letter by itself'
  if (isCondition(op) !== (arms !== undefined)) return 'has not the arms that a condition has'
  for (const arm of arms ?? []) {
    if (!ARM_OPS.includes(arm.op)) return 'does in an arm what is too much there'
    const fault = stepFault(arm)
    if (fault) return fault
  }
  return null
}

/** Effort of all steps. Larger constants add a little, because larger numbers are harder to compute with. */
export function effortOf(spec: Spec): number {
  return spec.steps.reduce((sum, step) => sum + stepEffort(step), 0)
}

function stepEffort({ op, constants, arms }: Step): number {
  const size = constants.reduce<number>(
    (sum, constant) => sum + (typeof constant === 'number' ? Math.abs(constant) : 0),
    0,
  )
  const ofArms = (arms ?? []).reduce((sum, arm) => sum + stepEffort(arm) / 2, 0)
  return OPERATIONS[op].effort + size / 30 + ofArms
}

/** A text that identifies the spec. */
export function specKey({ kind, steps }: Spec): string {
  const key = ({ op, constants, arms }: Step): string => [op, ...constants, ...(arms ?? []).map(key)].join(' ')
  return `${kind}: ${steps.map(key).join(', ')}`
}
