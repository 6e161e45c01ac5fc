/**
 * The reference solution: one line of plain JavaScript for every step, in its order.
 *
 *     function f(xs) {                               function f(n) {
 *       xs = xs.filter(x => x > 3)                     let total = 0
 *       xs = xs.map(x => x * 2)                        for (let i = 1; i <= n; i++) {
 *       let x = xs.reduce((a, b) => a + b, 0)            let x = i
 *       return x                                         if (x % 2 !== 0) continue
 *     }                                                  total += x
 *                                                      }
 *                                                      return total
 *                                                    }
 */
import {
  inputTypeOf,
  isCondition,
  OPERATIONS,
  outputTypeOf,
  PARAMETERS,
  type Op,
  type Spec,
  type Step,
} from './spec.ts'
import { filled, piecesOf } from './statement.ts'

/** Expressions over a number x. */
const EXPRESSIONS: Partial<Record<Op, string>> = {
  add: ' x + {0}',
  subtract: ' x - {0}',
  multiply: ' x * {0}',
  remainder: ' x % {0}',
  'at-least': ' Math.max(x, {0})',
  'at-most': ' Math.min(x, {0})',
  negate: ' -x',
  absolute: ' Math.abs(x)',
  square: ' x * x',
}

const CONDITIONS: Record<string, string> = {
  above: ' x > {0}',
  below: ' x < {0}',
  even: ' x % 2 === 0',
  odd: ' x % 2 !== 0',
}

/** The conditions on which a loop skips a number. */
const OPPOSITES: Record<string, string> = {
  above: 'x <= {0}',
  below: 'x >= {0}',
  even: 'x % 2 !== 0',
  odd: 'x % 2 === 0',
}

const LINES: Partial<Record<Op, string>> = {
  'add-both': '  let x = a + b',
  'subtract-both': '  let x = a - b',
  'multiply-both': '  let x = a * b',
  larger: '  let x = Math.max(a, b)',
  smaller: '  let x = Math.min(a, b)',
  'sort-up': '  xs = [...xs].sort((a, b) => a - b)',
  'sort-down': '  xs = [...xs].sort((a, b) => b - a)',
  'reverse-list': '  xs = [...xs].reverse()',
  take: '  xs = xs.slice(0, {0})',
  drop: '  xs = xs.slice({0})',
  sum: '  let x = xs.reduce((a, b) => a + b, 0)',
  largest: '  let x = Math.max(...xs)',
  smallest: '  let x = Math.min(...xs)',
  count: '  let x = xs.length',
  'reverse-text': '  s = [...s].reverse().join("")',
  'first-letters': '  s = s.slice(0, {0})',
  'last-letters': '  s = s.slice(-{0})',
  'drop-letters': '  s = s.slice({0})',
  append: '  s = s + {0}',
  prepend: '  s = {0} + s',
  remove: '  s = s.replaceAll({0}, "")',
  replace: '  s = s.replaceAll({0}, {1})',
  'sort-letters': '  s = [...s].sort().join("")',
  twice: '  s = s + s',
  letters: '  let x = s.length',
  'count-letter': '  let x = s.split({0}).length - 1',
}

const MAP = { before: '  xs = xs.map(x =>', after: ')' }
const FILTER = { before: '  xs = xs.filter(x =>', after: ')' }
const NUMBER_LINE = '  x ='

const LOOP = {
  total: '  let total = 0',
  gathered: '  let xs = []',
  range: '  for (let i = {0}; i <= n; i++) {',
  'range-below': '  for (let i = {0}; i < n; i++) {',
  start: '    let x = i',
  change: '    x =',
  skip: { before: '    if (', after: ') continue' },
  sum: '    total += x',
  count: '    total += 1',
  gather: '    xs.push(x)',
  end: '  }',
}

export function programOf(spec: Spec): string {
  return programLines(spec).join('\n')
}

/** The lines of the reference solution. */
export function programLines(spec: Spec): string[] {
  const parameters = PARAMETERS[inputTypeOf(spec)].join(', ')
  const body =
    spec.kind === 'loops' ? loopLines(spec) : [...spec.steps.map(lineOf), `  return ${RESULTS[outputTypeOf(spec)]}`]
  return [`function f(${parameters}) {`, ...body, '}']
}

const RESULTS: Partial<Record<string, string>> = { number: 'x', list: 'xs', text: 's' }

function lineOf({ op, constants, arms }: Step): string {
  if (isCondition(op)) {
    const [then, otherwise] = arms!.map((arm) => filled(EXPRESSIONS[arm.op]!, arm.constants))
    return `${NUMBER_LINE}${filled(CONDITIONS[suffix(op)]!, constants)} ?${then} :${otherwise}`
  }
  const template = LINES[op] ?? lineTemplate(op)
  return filled(template, constants)
}

function lineTemplate(op: Op): string {
  if (op.startsWith('each-')) return `${MAP.before}${EXPRESSIONS[suffix(op) as Op]!}${MAP.after}`
  if (op.startsWith('keep-')) return `${FILTER.before}${CONDITIONS[suffix(op)]!}${FILTER.after}`
  return `${NUMBER_LINE}${EXPRESSIONS[op]!}`
}

function loopLines({ steps }: Spec): string[] {
  const isTotal = OPERATIONS[steps.at(-1)!.op].gives === 'number'
  const [head, ...rest] = steps
  const inside = rest.map(({ op, constants }) => filled(loopTemplate(op), constants))
  return [
    isTotal ? LOOP.total : LOOP.gathered,
    filled(head!.op === 'range' ? LOOP.range : LOOP['range-below'], head!.constants),
    LOOP.start,
    ...inside,
    ...(isTotal ? [] : [LOOP.gather]),
    LOOP.end,
    `  return ${isTotal ? 'total' : 'xs'}`,
  ]
}

function loopTemplate(op: Op): string {
  if (op === 'sum' || op === 'count') return LOOP[op]
  if (op.startsWith('keep-')) return `${LOOP.skip.before}${OPPOSITES[suffix(op)]!}${LOOP.skip.after}`
  return `${LOOP.change}${EXPRESSIONS[suffix(op) as Op]!}`
}

function suffix(op: Op): string {
  return op.slice(op.indexOf('-') + 1)
}

/** Fixed phrases of programs, between constants. Lines begin with the line break before them. */
export const PROGRAM_PHRASES: readonly string[] = [
  ...new Set([
    ...Object.values(PARAMETERS).map((names) => `function f(${names.join(', ')}) {`),
    ...['x', 'xs', 's', 'total'].map((name) => `\n  return ${name}\n}`),
    ...[...Object.values(EXPRESSIONS), ...Object.values(CONDITIONS)].flatMap((template) => piecesOf(template)),
    ...Object.values(OPPOSITES).flatMap((template) => piecesOf(template)),
    ' ?',
    ' :',
    `\n${NUMBER_LINE}`,
    `\n${MAP.before}`,
    `\n${FILTER.before}`,
    ...Object.values(LINES).flatMap((template) => piecesOf(`\n${template}`)),
    ...Object.values(LOOP).flatMap((part) =>
      typeof part === 'string' ? piecesOf(`\n${part}`) : [`\n${part.before}`, part.after],
    ),
  ]),
]
