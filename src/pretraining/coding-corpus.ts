/** What the three coding models are taught from: programs, tests and rewrites for problems of the training split. */
import { demonstrateProgram, demonstrateRewrite, demonstrateTest } from '../environments/coding/demonstrations.ts'
import type { CodingTask } from '../environments/coding/problem.ts'
import { describeSpec } from '../environments/coding/problems/describe.ts'
import { generateProblem, generateTask } from '../environments/coding/problems/generator.ts'
import { applyRewrite, candidateRewrites } from '../environments/coding/problems/rewrites.ts'
import type { Spec } from '../environments/coding/problems/spec.ts'
import { codingFormats, policyResponse } from '../environments/coding/roles.ts'
import { chance, integer, pick, seededRandom, type Random } from '../environments/random.ts'
import type { Direction } from '../method/ports.ts'
import type { Piece } from './demonstration-corpus.ts'

export interface ProgramRecipe {
  /** Share of programs with a mistake. */
  slip: number
}

export interface TestRecipe {
  /** Share of tests with a wrong computation. */
  slip: number
  /** Share of tests whose input probes the steps' constants. */
  boundary: number
}

/** Demonstration `index` of the policy's corpus. */
export function programPieces(recipe: ProgramRecipe, seed: number, index: number): Piece[] {
  const { statement, spec } = problemOf(seed, index)
  const program = demonstrateProgram(spec, recipe, seededRandom('program corpus', seed, index))
  return [
    { text: codingFormats.policy.opening(statement), weight: 0 },
    { text: policyResponse(program), weight: 1, isResponse: true },
  ]
}

/** Demonstration `index` of the reward model's corpus. */
export function testPieces(recipe: TestRecipe, seed: number, index: number): Piece[] {
  const { statement, spec } = problemOf(seed, index)
  const test = demonstrateTest(spec, recipe, seededRandom('test corpus', seed, index))
  return [
    { text: codingFormats.reward.prompt(statement), weight: 0 },
    { text: test, weight: 1, isResponse: true },
  ]
}

/** Demonstration `index` of the author's corpus: a rewrite that does what the direction asks. */
export function rewritePieces(seed: number, index: number): Piece[] {
  for (let attempt = 0; ; attempt++) {
    const random = seededRandom('rewrite corpus', seed, index, attempt)
    const direction: Direction = chance(random, 0.5) ? 'harder' : 'easier'
    const task = drawTask(seed, index, random)
    const rewrite = demonstrateRewrite(task, direction, random)
    if (rewrite === null) continue
    const accuracy = (direction === 'harder' ? integer(random, 7, 8) : integer(random, 0, 1)) / 8
    const criticSummary = drawSummary(direction, random)
    const prompt = codingFormats.author.prompt({ description: describeSpec(task), direction, accuracy, criticSummary })
    return [
      { text: prompt, weight: 0 },
      { text: ` ${rewrite}`, weight: 1, isResponse: true },
    ]
  }
}

function problemOf(seed: number, index: number): { statement: string; spec: Spec } {
  const { statement, spec } = generateProblem({ seed: seed * 1_000_003 + index, split: 'train' })
  return { statement, spec: spec! }
}

/** A generated task, now and then rewritten already. */
function drawTask(seed: number, index: number, random: Random): CodingTask {
  const task = generateTask({ seed: seed * 1_000_003 + index, split: 'train' })
  if (!chance(random, 0.4)) return task
  const candidates = candidateRewrites(task, chance(random, 0.5) ? 'harder' : 'easier', integer(random, 0, 2 ** 30))
  if (candidates.length === 0) return task
  const outcome = applyRewrite(task, pick(random, candidates), `${task.id}/rewritten`)
  return outcome.ok ? outcome.task : task
}

/** In the form of method/coding/critic-summary.ts. */
function drawSummary(direction: Direction, random: Random): string {
  if (direction === 'harder') return `passed all tests x${integer(random, 7, 8)}`
  const tests = new Set(Array.from({ length: integer(random, 1, 4) }, () => integer(random, 1, 8)))
  let count = 8
  return [...tests]
    .map((test) => {
      const reason = chance(random, 0.95) ? 'wrong answer' : pick(random, ['runtime error', 'syntax error'])
      const entry = `${reason} on test ${test} x${count}`
      count = Math.max(1, count - integer(random, 0, 2))
      return entry
    })
    .join('; ')
}
