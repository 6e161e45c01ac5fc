/**
 * Applies rewrites to generated problems if they are valid. A rewrite is refused unless the steps that it names exist and the new
 * chain of steps is well formed, differs from the old one, and has inputs in range on which every step matters
 * (generated-tests.ts). Reference solution and tests follow from the spec, so the reference passes by construction.
 */
import type { Direction } from '../../../method/ports.ts'
import { hashOf, seededRandom } from '../../random.ts'
import type { Json } from '../judge/verdict.ts'
import { expectingTests, type CodingTask, type Problem } from '../problem.ts'
import { drawStep, problemOf } from './generator.ts'
import { formatRewrite, parseRewrite, type SpecRewrite } from './rewrite-language.ts'
import { isSameValue, outputOf, type Value } from './semantics.ts'
import {
  effortOf,
  malformation,
  MOST_STEPS,
  OPERATIONS,
  OPS_OF_KIND,
  specKey,
  type Constant,
  type Spec,
  type Step,
} from './spec.ts'
import { splitOf } from './splits.ts'
import { statementOf } from './statement.ts'

type RewriteOutcome = { ok: true; task: CodingTask; message: string } | { ok: false; message: string }

/** Never throws, whatever the text. */
export function applyRewrite(task: CodingTask, rewrite: SpecRewrite | string, newId: string): RewriteOutcome {
  const refuse = (message: string): RewriteOutcome => ({ ok: false, message })
  const { spec } = task.body
  if (!spec) return refuse('The problem was not generated: it has no steps to rewrite.')
  const read = typeof rewrite === 'string' ? parseRewrite(rewrite) : rewrite
  if (read === null) return refuse(`"${shortened(rewrite)}" is not a rewrite.`)
  const rewritten = rewrittenSpec(spec, read)
  if (typeof rewritten === 'string') return refuse(rewritten)
  const fault = faultOf(spec, rewritten)
  if (fault !== null) return refuse(fault)
  const made = problemOf(rewritten)
  if (!made.ok) return refuse(made.reason)
  if (isSameMeaning(spec, made.problem)) return refuse('It would ask for the same as before.')
  const instruction = statementOf(rewritten)
  const next: CodingTask = { id: newId, rootId: task.rootId, instruction, kind: rewritten.kind, body: made.problem }
  return { ok: true, task: next, message: `Applied: ${formatRewrite(read)}.` }
}

function shortened(rewrite: unknown): string {
  return typeof rewrite === 'string' ? rewrite.trim().slice(0, 80) : ''
}

/** Whether a solution of the old problem solves the new one. */
function isSameMeaning(before: Spec, problem: Problem): boolean {
  return expectingTests(problem).every(({ input, output }) =>
    isSameValue(outputOf(before, JSON.parse(input) as Json[]), JSON.parse(output) as Value),
  )
}

/** The rewritten spec, not yet checked; or a sentence about a missing step or constant. */
function rewrittenSpec(spec: Spec, rewrite: SpecRewrite): Spec | string {
  const { steps } = spec
  const at = rewrite.at - 1
  const last = rewrite.kind === 'insert' ? steps.length : rewrite.kind === 'swap' ? steps.length - 2 : steps.length - 1
  if (!Number.isInteger(at) || at < 0 || at > last) {
    const named = rewrite.kind === 'swap' ? rewrite.at + 1 : rewrite.at
    return `There is no step ${named}: the problem has ${steps.length}.`
  }
  const changed = changedSteps(steps, rewrite, at)
  return typeof changed === 'string' ? changed : { ...spec, steps: changed }
}

function changedSteps(steps: readonly Step[], rewrite: SpecRewrite, at: number): readonly Step[] | string {
  switch (rewrite.kind) {
    case 'insert':
      return steps.toSpliced(at, 0, rewrite.step)
    case 'replace':
      return steps.with(at, rewrite.step)
    case 'remove':
      return steps.toSpliced(at, 1)
    case 'swap':
      return steps.with(at, steps[at + 1]!).with(at + 1, steps[at]!)
    case 'set': {
      const step = steps[at]!
      if (step.constants.length === 0) return `Step ${rewrite.at} has no constant.`
      return steps.with(at, { ...step, constants: step.constants.with(0, rewrite.constant) })
    }
  }
}

function faultOf(before: Spec, after: Spec): string | null {
  const fault = malformation(after)
  if (fault !== null) return fault
  if (specKey(after) === specKey(before)) return 'The problem is so already.'
  // A training problem must remain one through all rewrites.
  const isKept = splitOf(before) === 'train' && splitOf(after) !== 'train'
  return isKept ? 'This combination of steps is kept for measuring generalisation.' : null
}

// ------------------------------------------------------------------------------------------------- candidates

/** Least change of effort that counts as harder or easier. */
const LEAST_CHANGE = 0.25

/** Well-formed rewrites in a direction, by the effort of the steps. Does not check whether they give problems. */
export function candidateRewrites(task: CodingTask, direction: Direction, seed = 0): SpecRewrite[] {
  const { spec } = task.body
  if (!spec) return []
  const effort = effortOf(spec)
  return allRewrites(spec, hashOf(task.id, seed)).filter((rewrite) => {
    const after = rewrittenSpec(spec, rewrite)
    if (typeof after === 'string' || faultOf(spec, after) !== null) return false
    const change = effortOf(after) - effort
    return direction === 'harder' ? change >= LEAST_CHANGE : change <= -LEAST_CHANGE
  })
}

function allRewrites({ kind, steps }: Spec, seed: number): SpecRewrite[] {
  const random = seededRandom('rewrites', seed)
  const ops = OPS_OF_KIND[kind]
  const drawn = () => ops.map((op) => drawStep(op, random))
  const places = steps.map((_, i) => i + 1)
  const inserts = steps.length === MOST_STEPS ? [] : [...places, steps.length + 1]
  return [
    ...inserts.flatMap((at) => drawn().map((step): SpecRewrite => ({ kind: 'insert', at, step }))),
    ...places.map((at): SpecRewrite => ({ kind: 'remove', at })),
    ...places.flatMap((at) => drawn().map((step): SpecRewrite => ({ kind: 'replace', at, step }))),
    ...places.flatMap((at) => {
      const slot: readonly Constant[] = OPERATIONS[steps[at - 1]!.op].slots[0] ?? []
      return slot.map((constant): SpecRewrite => ({ kind: 'set', at, constant }))
    }),
  ]
}
