/**
 * Specs as text. A step has the same phrase everywhere (in the statement, a scratchpad, a rewrite), so a tiny model learns it
 * once:
 *
 *     Write f(xs) for a list of numbers xs: keep the numbers above 3, multiply each by 2, take the sum. Return the result.
 */
import {
  ARM_OPS,
  inputTypeOf,
  isCondition,
  OPS,
  type Constant,
  type Op,
  type Spec,
  type Step,
  type ValueType,
} from './spec.ts'
import type { CodingTask } from '../problem.ts'

const HEADS: Record<ValueType, string> = {
  pair: 'Write f(a, b) for numbers a and b:',
  number: 'Write f(x) for a number x:',
  bound: 'Write f(n) for a number n:',
  list: 'Write f(xs) for a list of numbers xs:',
  text: 'Write f(s) for a string s:',
}
const TAIL = '. Return the result.'

/** `{0}` and `{1}` are the constants. */
const PHRASES: Record<Op, string> = {
  'add-both': 'add a and b',
  'subtract-both': 'subtract b from a',
  'multiply-both': 'multiply a by b',
  larger: 'take the larger of a and b',
  smaller: 'take the smaller of a and b',
  add: 'add {0}',
  subtract: 'subtract {0}',
  multiply: 'multiply by {0}',
  remainder: 'take the remainder by {0}',
  'at-least': 'raise it to at least {0}',
  'at-most': 'lower it to at most {0}',
  negate: 'negate it',
  absolute: 'take the absolute value',
  square: 'square it',
  'if-above': 'if it is above {0}',
  'if-below': 'if it is below {0}',
  'if-even': 'if it is even',
  'if-odd': 'if it is odd',
  range: 'count from {0} up to n',
  'range-below': 'count from {0} to below n',
  'each-add': 'add {0} to each',
  'each-subtract': 'subtract {0} from each',
  'each-multiply': 'multiply each by {0}',
  'each-negate': 'negate each',
  'each-absolute': 'take each absolute value',
  'each-square': 'square each',
  'keep-above': 'keep the numbers above {0}',
  'keep-below': 'keep the numbers below {0}',
  'keep-even': 'keep the even numbers',
  'keep-odd': 'keep the odd numbers',
  'sort-up': 'sort ascending',
  'sort-down': 'sort descending',
  'reverse-list': 'reverse the list',
  take: 'keep the first {0} numbers',
  drop: 'skip the first {0} numbers',
  sum: 'take the sum',
  largest: 'take the largest',
  smallest: 'take the smallest',
  count: 'count the numbers',
  'reverse-text': 'reverse the letters',
  'first-letters': 'keep the first {0} letters',
  'last-letters': 'keep the last {0} letters',
  'drop-letters': 'skip the first {0} letters',
  append: 'append {0}',
  prepend: 'prepend {0}',
  remove: 'remove every {0}',
  replace: 'replace every {0} by {1}',
  'sort-letters': 'sort the letters',
  twice: 'write it twice',
  letters: 'count the letters',
  'count-letter': 'count every {0}',
}

const SEPARATOR = ', '
const ELSE = ' else '

export function statementOf(spec: Spec): string {
  return `${headOf(spec)} ${spec.steps.map(phraseOf).join(SEPARATOR)}${TAIL}`
}

/** The signature of f, up to the colon. */
function headOf(spec: Spec): string {
  return HEADS[inputTypeOf(spec)]
}

/** A generated problem as the author reads it: the steps are numbered, as rewrites name them. */
export function describeSpec(task: CodingTask): string {
  const { spec } = task.body
  if (!spec) throw new TypeError(`Task "${task.id}" was not generated: it has no steps to describe.`)
  return [headOf(spec), ...spec.steps.map((step, i) => `${i + 1} ${phraseOf(step)}`)].join('\n')
}

export function phraseOf({ op, constants, arms }: Step): string {
  const phrase = filled(PHRASES[op], constants)
  return arms ? `${phrase} ${phraseOf(arms[0])}${ELSE}${phraseOf(arms[1])}` : phrase
}

/** Replaces `{0}` and `{1}` in a template by constants: plain numbers, and letters in quotes. */
export function filled(template: string, constants: readonly Constant[]): string {
  return template.replace(/\{(\d)\}/g, (_, at: string) => JSON.stringify(constants[Number(at)]))
}

const SLOT = '(-?[0-9]{1,3}|"[a-z]")'
const PATTERNS: readonly [Op, RegExp][] = OPS.map((op) => [
  op,
  new RegExp(`^${PHRASES[op].replace(/\{\d\}/g, SLOT)}${isCondition(op) ? ' (.*)' : ''}$`),
])

/** The step that a phrase names; null if there is none. Accepts any constants: `malformation` checks them. */
export function parseStep(text: string): Step | null {
  for (const [op, pattern] of PATTERNS) {
    const match = pattern.exec(text)
    if (!match) continue
    if (!isCondition(op)) return { op, constants: match.slice(1).map(parseConstant) }
    const [then, otherwise, ...rest] = match.at(-1)!.split(ELSE).map(parseArm)
    if (!then || !otherwise || rest.length > 0) return null
    return { op, constants: match.slice(1, -1).map(parseConstant), arms: [then, otherwise] }
  }
  return null
}

/** Accepts no condition inside an arm, so phrases cannot be nested. */
function parseArm(text: string): Step | null {
  const step = text.startsWith('if ') ? null : parseStep(text)
  return step && ARM_OPS.includes(step.op) ? step : null
}

export function parseConstant(text: string): Constant {
  return text.startsWith('"') ? text.slice(1, -1) : unsigned(Number(text))
}

const unsigned = (x: number) => (x === 0 ? 0 : x)

/** Fixed phrases of statements, between constants. */
export const STATEMENT_PHRASES: readonly string[] = [
  ...Object.values(HEADS),
  TAIL,
  SEPARATOR,
  ELSE.trimEnd(),
  ...new Set(Object.values(PHRASES).flatMap((phrase) => piecesOf(phrase))),
]

/** The parts of a template between its constants. A blank belongs to the part after it. */
export function piecesOf(template: string): string[] {
  return template
    .split(/\{\d\}/)
    .map((piece) => piece.trimEnd())
    .filter((piece) => piece !== '')
}
