/**
 * Training data for the tiny models of the coding world: programs as a policy writes them, tests as a reward model does, and
 * rewrites as an author does. Each is right or has a typical mistake.
 */
import type { Direction } from '../../../method/ports.ts'
import { chance, integer, pick, shuffled, type Random } from '../../random.ts'
import type { Json } from '../judge/verdict.ts'
import type { CodingTask } from '../problem.ts'
import { edgeInputs, plainInput, probingInput } from '../problems/inputs.ts'
import { mistakesOf, type MistakeKind } from '../problems/mistakes.ts'
import { programOf, PROGRAM_PHRASES } from '../problems/program.ts'
import { formatRewrite, REWRITE_PHRASES } from '../problems/rewrite-language.ts'
import { applyRewrite, candidateRewrites } from '../problems/rewrites.ts'
import { scratchpadOf, SCRATCHPAD_PHRASES } from '../problems/scratchpad.ts'
import {
  applyStep,
  evaluate,
  isSameValue,
  LARGEST_NUMBER,
  outputOf,
  type TracedStep,
  type Value,
} from '../problems/semantics.ts'
import { ALPHABET, type Spec, type Step } from '../problems/spec.ts'
import { STATEMENT_PHRASES } from '../problems/statement.ts'
import { groundTruthOf } from '../problems/generated-tests.ts'

interface ProgramDemonstration {
  /** Probability of a mistake. */
  slip: number
}

interface TestDemonstration {
  /** Probability of one wrong computation, which later steps continue from. */
  slip: number
  /** Probability of a probing input; otherwise the input is plain, which often exposes little. */
  boundary: number
}

/** Programs that do not run are rarer than wrong ones. */
const BROKEN: ReadonlySet<MistakeKind> = new Set(['syntax', 'undefined name'])
const BROKEN_ODDS = 0.06

/** The right program, or one with a typical mistake that some test of the problem exposes. */
export function demonstrateProgram(spec: Spec, { slip }: ProgramDemonstration, random: Random): string {
  if (!chance(random, slip)) return programOf(spec)
  const mistakes = mistakesOf(spec)
  const broken = mistakes.filter(({ kind }) => BROKEN.has(kind))
  const wrong = mistakes.filter((mistake) => mistake.spec !== null)
  if (!chance(random, BROKEN_ODDS)) {
    const cases = casesOf(spec)
    for (const mistake of shuffled(random, wrong)) {
      const isShown = cases.some(({ inputs, output }) => !isSameValue(outputOf(mistake.spec!, inputs), output))
      if (isShown) return mistake.program
    }
  }
  return pick(random, broken).program
}

function casesOf(spec: Spec) {
  const truth = groundTruthOf(spec)
  if (!truth.ok) throw new Error(`The spec to demonstrate makes no problem: ${truth.reason}`)
  return truth.cases
}

/** The reward model's whole response: input, scratchpad, output. */
export function demonstrateTest(spec: Spec, { slip, boundary }: TestDemonstration, random: Random): string {
  const isProbing = chance(random, boundary)
  const inputs = drawInput(spec, isProbing, random)
  const evaluation = evaluate(spec, inputs)
  if (!evaluation.isInRange) throw new Error(`An input was drawn out of range: ${evaluation.reason}`)
  const { trace, output } = evaluation
  if (!chance(random, slip)) return scratchpadOf(spec, inputs, trace, output)
  const wrong = wrongTrace(spec, inputs, trace, output, random)
  return scratchpadOf(spec, inputs, wrong, wrong.at(-1)!.value)
}

function drawInput(spec: Spec, isProbing: boolean, random: Random): readonly Json[] {
  const drawn = isProbing ? probingInput(spec, random) : plainInput(spec, random)
  return drawn ?? pick(random, [...edgeInputs(spec), ...casesOf(spec).map(({ inputs }) => inputs)])
}

const SLIPS = 20

/** A computation with one wrong step, which leads to another output. */
function wrongTrace(
  spec: Spec,
  inputs: readonly Json[],
  right: readonly TracedStep[],
  output: Value,
  random: Random,
): TracedStep[] {
  const { steps } = spec
  for (let attempt = 0; attempt < SLIPS; attempt++) {
    // If early mistakes do not change the output, the last step goes wrong.
    const at = attempt < SLIPS / 2 ? integer(random, 0, steps.length - 1) : steps.length - 1
    const trace = right.slice(0, at)
    const start = at === 0 ? (inputs.length === 1 ? inputs[0] : inputs) : right[at - 1]!.value
    trace.push(slipOf(steps[at]!, start as Value, right[at]!, random))
    for (const step of steps.slice(at + 1)) trace.push(applyStep(step, trace.at(-1)!.value))
    if (trace.every(isWritable) && !isSameValue(trace.at(-1)!.value, output)) return trace
  }
  const last = steps.length - 1
  return [...right.slice(0, last), { value: spoiled(output, random), working: null }]
}

/** Whether all numbers have at most two digits. Excludes the infinite largest of nothing. */
function isWritable({ value, working }: TracedStep): boolean {
  const numbers = [value, working].flat().filter((part) => typeof part === 'number')
  return numbers.every((number) => Math.abs(number) <= LARGEST_NUMBER)
}

function slipOf(step: Step, before: Value, right: TracedStep, random: Random): TracedStep {
  const { working } = right
  if (typeof working === 'boolean') {
    const value = applyStep(step.arms![working ? 1 : 0], before).value
    return chance(random, 0.7) ? { value, working: !working } : { value: spoiled(right.value, random), working }
  }
  if (working === null || working.length < 2) return { value: spoiled(right.value, random), working: null }
  // An error in a running total stays the same from there on.
  const at = integer(random, 1, working.length - 1)
  const error = pick(random, [-1, 1])
  const wrong = working.map((total, i) => (i < at ? total : total + error))
  return { value: wrong.at(-1)!, working: wrong }
}

/** A different value of the same type: one off, one element too few or too many, or two swapped. */
function spoiled(value: Value, random: Random): Value {
  if (typeof value === 'number') return value + pick(random, value === 0 ? [-1, 1] : [-1, 1, -2 * value])
  const parts: (string | number)[] = [...value]
  const isText = typeof value === 'string'
  const ways = parts.length === 0 ? ['more'] : ['fewer', 'other', 'other', 'swap']
  const at = parts.length === 0 ? 0 : integer(random, 0, parts.length - 1)
  const fresh = () => (isText ? pick(random, [...ALPHABET].filter((letter) => letter !== parts[at])) : pick(random, [-1, 1]) + Number(parts[at] ?? 0)) // prettier-ignore
  const way = pick(random, ways)
  if (way === 'more') parts.push(fresh())
  else if (way === 'fewer') parts.splice(at, 1)
  else if (way === 'swap' && parts.length > at + 1 && parts[at] !== parts[at + 1])
    parts.splice(at, 2, parts[at + 1]!, parts[at]!)
  else parts[at] = fresh()
  return isText ? parts.join('') : (parts as number[])
}

/** A valid rewrite in the direction, as text; null if there is none. All kinds of rewrites are equally likely. */
export function demonstrateRewrite(task: CodingTask, direction: Direction, random: Random): string | null {
  const candidates = candidateRewrites(task, direction, integer(random, 0, 2 ** 30))
  const kinds = shuffled(random, [...new Set(candidates.map(({ kind }) => kind))])
  for (const wanted of kinds) {
    const ofKind = candidates.filter(({ kind }) => kind === wanted)
    const found = shuffled(random, ofKind).find((rewrite) => applyRewrite(task, rewrite, `${task.id}/demonstrated`).ok)
    if (found) return formatRewrite(found)
  }
  return null
}

/** Fixed phrases of all demonstrations, between values. Each is a token. */
export const CODING_PHRASES: readonly string[] = [
  ...new Set([...STATEMENT_PHRASES, ...PROGRAM_PHRASES, ...SCRATCHPAD_PHRASES, ...REWRITE_PHRASES]),
]
