/**
 * Typical wrong programs for a spec. Most are right programs for another, mistaken spec, so their meaning is known without
 * running them; a few do not run at all.
 */
import {
  malformation,
  OPERATIONS,
  outputTypeOf,
  specKey,
  type Constant,
  type Op,
  type Spec,
  type Step,
} from './spec.ts'
import { programLines, programOf } from './program.ts'

export type MistakeKind =
  /** `>=` for `>`, `<` for `<=`. */
  | 'comparison'
  | 'constant'
  | 'missing step'
  | 'order'
  /** Plus for minus, ascending for descending, even for odd. */
  | 'operator'
  | 'extremum'
  | 'branch'
  | 'undefined name'
  | 'syntax'

interface Mistake {
  kind: MistakeKind
  /** What the program computes; null if it does not run. */
  spec: Spec | null
  program: string
}

/** Pairs of operations that are easily confused. */
const CONFUSED: readonly (readonly [Op, Op, MistakeKind])[] = [
  ['add-both', 'subtract-both', 'operator'],
  ['add-both', 'multiply-both', 'operator'],
  ['larger', 'smaller', 'extremum'],
  ['add', 'subtract', 'operator'],
  ['add', 'multiply', 'operator'],
  ['multiply', 'remainder', 'operator'],
  ['at-least', 'at-most', 'extremum'],
  ['negate', 'absolute', 'operator'],
  ['if-above', 'if-below', 'operator'],
  ['if-even', 'if-odd', 'operator'],
  ['range', 'range-below', 'comparison'],
  ['each-add', 'each-subtract', 'operator'],
  ['each-add', 'each-multiply', 'operator'],
  ['each-negate', 'each-absolute', 'operator'],
  ['keep-above', 'keep-below', 'operator'],
  ['keep-even', 'keep-odd', 'operator'],
  ['sort-up', 'sort-down', 'operator'],
  ['sort-up', 'reverse-list', 'operator'],
  ['take', 'drop', 'operator'],
  ['largest', 'smallest', 'extremum'],
  ['sum', 'count', 'operator'],
  ['reverse-text', 'sort-letters', 'operator'],
  ['first-letters', 'last-letters', 'operator'],
  ['first-letters', 'drop-letters', 'operator'],
  ['append', 'prepend', 'operator'],
]

/** How a wrong comparison shifts the limit: "above or equal to 3" is "above 2". */
const OFF_BY_ONE: Partial<Record<Op, number>> = {
  'keep-above': -1,
  'if-above': -1,
  'keep-below': 1,
  'if-below': 1,
}

/** All mistakes, each once. Some do not change the meaning (sorting before taking the largest). */
export function mistakesOf(spec: Spec): Mistake[] {
  const found = new Map<string, Mistake>()
  const add = (kind: MistakeKind, steps: readonly Step[], program?: string) => {
    const mistaken = { ...spec, steps }
    const key = specKey(mistaken)
    if (key === specKey(spec) || found.has(key)) return
    found.set(key, { kind, spec: mistaken, program: program ?? programOf(mistaken) })
  }
  for (const [at, step] of spec.steps.entries()) {
    const replaced = (other: Step) => spec.steps.with(at, other)
    for (const limit of offByOne(step)) add('comparison', replaced(limit), withOtherComparison(spec, replaced(limit)))
    for (const { kind, step: other } of stepMistakes(step)) add(kind, replaced(other))
    for (const shorter of withoutStep(spec, at)) add('missing step', shorter)
    for (const swapped of withSwap(spec, at)) add('order', swapped)
  }
  return [...found.values(), ...brokenPrograms(spec)]
}

function stepMistakes(step: Step): { kind: MistakeKind; step: Step }[] {
  const { op, constants, arms } = step
  const found: { kind: MistakeKind; step: Step }[] = []
  for (const [a, b, kind] of CONFUSED) {
    const other = op === a ? b : op === b ? a : null
    if (other !== null) found.push({ kind, step: { ...step, op: other } })
  }
  for (const [slot, constant] of constants.entries()) {
    for (const wrong of wrongConstants(op, slot, constant)) {
      found.push({ kind: 'constant', step: { ...step, constants: constants.with(slot, wrong) } })
    }
  }
  if (op === 'replace') found.push({ kind: 'operator', step: { ...step, constants: constants.toReversed() } })
  if (!arms) return found
  found.push({ kind: 'branch', step: { ...step, arms: [arms[1], arms[0]] } })
  for (const [side, arm] of arms.entries()) {
    for (const { kind, step: wrong } of stepMistakes(arm)) {
      found.push({ kind, step: { ...step, arms: side === 0 ? [wrong, arms[1]] : [arms[0], wrong] } })
    }
  }
  return found
}

function wrongConstants(op: Op, slot: number, constant: Constant): Constant[] {
  const allowed: readonly Constant[] = OPERATIONS[op].slots[slot]!
  const at = allowed.indexOf(constant)
  return [allowed[at - 1], allowed[at + 1]].filter((other) => other !== undefined)
}

function offByOne(step: Step): Step[] {
  const change = OFF_BY_ONE[step.op]
  return change === undefined ? [] : [{ ...step, constants: [(step.constants[0] as number) + change] }]
}

/** The program with another comparison operator, on the lines where the mistaken spec has another limit. */
function withOtherComparison(spec: Spec, steps: readonly Step[]): string {
  const mistaken = programLines({ ...spec, steps })
  return programLines(spec)
    .map((line, i) =>
      line === mistaken[i] ? line : line.replace(/ ([<>])(=?) /, (_, sign, equal) => ` ${sign}${equal ? '' : '='} `),
    )
    .join('\n')
}

function withoutStep({ kind, steps }: Spec, at: number): (readonly Step[])[] {
  const { takes, gives } = OPERATIONS[steps[at]!.op]
  const isEnd = at === steps.length - 1 && takes !== 'pair' && takes !== 'bound'
  if (steps.length === 1 || !(takes === gives || isEnd)) return []
  const left = steps.toSpliced(at, 1)
  // Without its sum, a loop gathers the numbers that it would have added.
  return outputTypeOf({ kind, steps: left }) === 'pair' ? [] : [left]
}

function withSwap(spec: Spec, at: number): (readonly Step[])[] {
  if (at + 1 >= spec.steps.length) return []
  const steps = spec.steps.with(at, spec.steps[at + 1]!).with(at + 1, spec.steps[at]!)
  return malformation({ ...spec, steps }) === null ? [steps] : []
}

function brokenPrograms(spec: Spec): Mistake[] {
  const lines = programLines(spec)
  const right = lines.join('\n')
  const broken = (kind: MistakeKind, program: string): Mistake => ({ kind, spec: null, program })
  const returned = lines.findLastIndex((line) => line.startsWith('  return '))
  return [
    broken('undefined name', lines.with(returned, '  return y').join('\n')),
    broken('syntax', lines.slice(0, -1).join('\n')),
    broken('syntax', `${right}\n}`),
  ]
}
