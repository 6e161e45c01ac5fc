/**
 * Ground truth of a generated problem: eight tests, chosen from many inputs by greedy set cover so that together they expose every
 * typical mistake that any input exposes. Rejects degenerate specs, in which some step does not matter.
 */
import type { WrittenTest } from '../../../method/ports.ts'
import { hashOf, seededRandom } from '../../random.ts'
import type { Json } from '../judge/verdict.ts'
import { distinctInputs, edgeInputs, plainInput, probingInputs } from './inputs.ts'
import { formatJson } from './json.ts'
import { mistakesOf } from './mistakes.ts'
import { evaluate, isSameValue, outputOf, type TracedStep, type Value } from './semantics.ts'
import { isCondition, specKey, type Spec } from './spec.ts'

const TEST_COUNT = 8
const PLAIN = 6
const PROBING = 42
/** Least number of different outputs. */
const FEWEST_OUTPUTS = 3

interface GroundTruthCase {
  inputs: readonly Json[]
  output: Value
  trace: readonly TracedStep[]
}

type GroundTruth = { ok: true; cases: readonly GroundTruthCase[] } | { ok: false; reason: string }

/** Depends only on the spec, which must be well formed. */
export function groundTruthOf(spec: Spec): GroundTruth {
  const pool = casePool(spec)
  if (pool.length < TEST_COUNT) return { ok: false, reason: 'Values leave the range that problems keep to.' }
  const cases = cover(spec, pool)
  const reason = degeneracy(spec, cases)
  return reason === null ? { ok: true, cases } : { ok: false, reason }
}

export function writtenTest({ inputs, output }: GroundTruthCase): WrittenTest {
  return { input: formatJson(inputs), output: formatJson(output) }
}

function casePool(spec: Spec): GroundTruthCase[] {
  const random = seededRandom('ground truth', hashOf(specKey(spec)))
  const probing = probingInputs(spec)
  const inputs: (Json[] | null)[] = edgeInputs(spec)
  for (let i = 0; i < PLAIN; i++) inputs.push(plainInput(spec, random))
  for (let i = 0; i < PROBING; i++) {
    const input = probing(random)
    // If staying in range is this hard, the spec is no usable problem.
    if (input === null && i < 4) return []
    inputs.push(input)
  }
  return distinctInputs(inputs, random).map((input) => {
    const evaluation = evaluate(spec, input)
    if (!evaluation.isInRange) throw new Error(`An input of "${specKey(spec)}" is out of range: ${evaluation.reason}`)
    return { inputs: input, output: evaluation.output, trace: evaluation.trace }
  })
}

/** Repeatedly takes the case that exposes the most mistakes, preferring mistakes that few chosen cases expose. */
function cover(spec: Spec, pool: readonly GroundTruthCase[]): GroundTruthCase[] {
  const mistaken = mistakesOf(spec).flatMap((mistake) => (mistake.spec ? [mistake.spec] : []))
  const shows = pool.map(({ inputs, output }) => mistaken.map((other) => !isSameValue(outputOf(other, inputs), output)))
  const timesShown = mistaken.map(() => 0)
  const left = new Set(pool.keys())
  const chosen: GroundTruthCase[] = []
  while (chosen.length < TEST_COUNT && left.size > 0) {
    let best = -1
    let most = -1
    for (const candidate of left) {
      let gain = 0
      for (const [i, isShown] of shows[candidate]!.entries()) if (isShown) gain += WORTH[Math.min(timesShown[i]!, 3)]!
      if (gain > most) [best, most] = [candidate, gain]
    }
    left.delete(best)
    chosen.push(pool[best]!)
    for (const [i, isShown] of shows[best]!.entries()) if (isShown) timesShown[i]!++
  }
  return chosen
}

/** [times exposed so far, up to 3] value of exposing a mistake once more. */
const WORTH = [1000, 10, 1, 0]

/** Why the problem is degenerate; null if it is not. */
function degeneracy(spec: Spec, cases: readonly GroundTruthCase[]): string | null {
  const outputs = new Set(cases.map(({ output }) => JSON.stringify(output)))
  if (outputs.size < FEWEST_OUTPUTS) return 'The result would be nearly always the same.'
  if (cases.every(({ inputs, output }) => inputs.length === 1 && isSameValue(inputs[0] as Value, output)))
    return 'The result would be what f is given.'
  for (const [at, step] of spec.steps.entries()) {
    const isIdle = cases.every(({ inputs, trace }) => {
      const before = at === 0 ? inputs.length === 1 && (inputs[0] as Value) : trace[at - 1]!.value
      return before !== false && isSameValue(before, trace[at]!.value)
    })
    if (isIdle || isRedundant(spec, at, cases)) return `Step ${at + 1} would change nothing.`
    if (isCondition(step.op) && isOneSided(spec, at, cases))
      return `The condition of step ${at + 1} would make no difference.`
  }
  return null
}

function isRedundant(spec: Spec, at: number, cases: readonly GroundTruthCase[]): boolean {
  const left = spec.steps.toSpliced(at, 1)
  const isSameType = typeof valueBefore(cases[0]!, at) === typeof cases[0]!.trace[at]!.value
  if (!isSameType || left.length === 0 || (at === 0 && cases[0]!.inputs.length > 1)) return false
  const shorter = { ...spec, steps: left }
  return cases.every(({ inputs, output }) => isSameValue(outputOf(shorter, inputs), output))
}

/** Whether always taking the same arm gives the same results. */
function isOneSided(spec: Spec, at: number, cases: readonly GroundTruthCase[]): boolean {
  return spec.steps[at]!.arms!.some((arm) => {
    const always = { ...spec, steps: spec.steps.with(at, arm) }
    return cases.every(({ inputs, output }) => isSameValue(outputOf(always, inputs), output))
  })
}

function valueBefore({ inputs, trace }: GroundTruthCase, at: number): Json {
  return at === 0 ? inputs[0]! : trace[at - 1]!.value
}
