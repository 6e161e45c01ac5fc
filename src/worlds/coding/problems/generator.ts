/** Generates any number of problems from seeds. `splits.ts` defines what the splits do not share. */
import type { Split } from '../../../method/ports.ts'
import { chance, pick, pickWeighted, seededRandom, type Random } from '../../random.ts'
import type { CodingTask, Problem } from '../problem.ts'
import { groundTruthOf, writtenTest } from './generated-tests.ts'
import { programOf } from './program.ts'
import {
  ARM_OPS,
  inputTypeOf,
  isCondition,
  KINDS,
  malformation,
  OPERATIONS,
  OPS_OF_KIND,
  type Constant,
  type Kind,
  type Op,
  type Spec,
  type Step,
  type ValueType,
} from './spec.ts'
import { splitOf } from './splits.ts'
import { statementOf } from './statement.ts'

interface ProblemOptions {
  seed: number
  split: Split
}

/**
 * Odds of drawing 1, 2, 3 and 4 steps; `ood` needs a pair and so has no single steps. Longer chains are rejected more often, for
 * a held-out pair, values out of range or an idle step: the resulting shares in `train` are 24, 44, 23 and 9 %.
 */
const ODDS_OF_LENGTH = [0.15, 0.35, 0.3, 0.2]
const ATTEMPTS = 2000
/** Ample for a loop over small numbers. */
const TIME_LIMIT_MS = 20

/** Throws an Error if the seed gives no problem. */
export function generateProblem({ seed, split }: ProblemOptions): Problem {
  const choices = seededRandom('problem kind', seed, split)
  const kind = pick(choices, KINDS)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const odds = (steps: number) => (split === 'ood' && steps === 1 ? 0 : ODDS_OF_LENGTH[steps - 1]!)
    const length = pickWeighted(choices, LENGTHS, odds)!
    const spec = drawSpec(kind, length, seededRandom('problem', seed, split, attempt))
    if (!spec || splitOf(spec) !== split) continue
    const made = problemOf(spec)
    if (made.ok) return made.problem
  }
  throw new Error(`Seed ${seed} gave no ${split} problem about ${kind} in ${ATTEMPTS} attempts. Use another seed.`)
}

/** A problem as a task of the loop; its id names kind, steps, split and seed. */
export function generateTask({ seed, split }: ProblemOptions): CodingTask {
  return taskOfProblem(generateProblem({ seed, split }), `${split}-${seed}`)
}

/** `name` must be unique among problems of the same kind and number of steps. */
export function taskOfProblem(problem: Problem, name: string): CodingTask {
  const { spec, statement } = problem
  if (!spec) throw new TypeError('The problem has no spec, so it was not generated.')
  const id = `${spec.kind}-${spec.steps.length}/${name}`
  return { id, rootId: id, instruction: statement, kind: spec.kind, body: problem }
}

const LENGTHS = [1, 2, 3, 4]

type ProblemOutcome = { ok: true; problem: Problem } | { ok: false; reason: string }

/** Makes the problem of a spec, with its tests; or says in one sentence why there is none. */
export function problemOf(spec: Spec): ProblemOutcome {
  const reason = malformation(spec)
  if (reason !== null) return { ok: false, reason }
  const truth = groundTruthOf(spec)
  if (!truth.ok) return truth
  const problem: Problem = {
    form: 'call',
    functionName: 'f',
    statement: statementOf(spec),
    tests: truth.cases.map(writtenTest),
    timeLimitMs: TIME_LIMIT_MS,
    reference: programOf(spec),
    spec,
  }
  return { ok: true, problem }
}

// -------------------------------------------------------------------------------------------------- drawing

/** Draws a well-formed spec, which may still be degenerate; null if the draw failed. */
function drawSpec(kind: Kind, length: number, random: Random): Spec | null {
  const steps: Step[] = []
  let type: ValueType = kind === 'arithmetic' && chance(random, 0.5) ? 'pair' : inputTypeOf({ kind, steps: [] })
  while (steps.length < length) {
    const previous = steps.at(-1)
    const takes = type
    const ops = OPS_OF_KIND[kind].filter((op) => OPERATIONS[op].takes === takes && op !== previous?.op)
    const op = pickWeighted(random, ops, (candidate) => oddsOf(candidate, length - steps.length))
    if (op === null) return null
    steps.push(drawStep(op, random))
    type = OPERATIONS[op].gives
  }
  const spec = { kind, steps }
  return malformation(spec) === null ? spec : null
}

/** Makes reductions of lists and texts rare, except as the last step. */
function oddsOf(op: Op, stepsLeft: number): number {
  const { takes, gives } = OPERATIONS[op]
  if (isCondition(op)) return 2
  if ((takes === 'list' || takes === 'text') && gives === 'number') return stepsLeft === 1 ? 2.5 : 0.5
  return 1
}

/** The operation with random constants and arms. */
export function drawStep(op: Op, random: Random): Step {
  const slots: readonly (readonly Constant[])[] = OPERATIONS[op].slots
  const constants = slots.map((allowed) => pick(random, allowed))
  if (!isCondition(op)) return { op, constants }
  return { op, constants, arms: [drawStep(pick(random, ARM_OPS), random), drawStep(pick(random, ARM_OPS), random)] }
}
