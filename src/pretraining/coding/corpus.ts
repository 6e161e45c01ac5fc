/** Training data of the three coding models: programs, tests and rewrites for problems of the training split. */
import { demonstrateProgram, demonstrateRewrite, demonstrateTest } from '../../worlds/coding/roles/demonstrations.ts'
import type { CodingTask } from '../../worlds/coding/problem.ts'
import { describeSpec } from '../../worlds/coding/problems/statement.ts'
import { generateProblem, generateTask } from '../../worlds/coding/problems/generator.ts'
import { applyRewrite, candidateRewrites } from '../../worlds/coding/problems/rewrites.ts'
import type { Spec } from '../../worlds/coding/problems/spec.ts'
import { codingFormats } from '../../worlds/coding/roles/plain-roles.ts'
import { chance, integer, pick, seededRandom, type Random } from '../../worlds/random.ts'
import { compactReason, countedReasons } from '../../method/critic-reasons.ts'
import type { Direction } from '../../method/ports.ts'
import type { Piece } from '../demonstration-corpus.ts'

export interface ProgramRecipe {
  /** Share of programs with a mistake. */
  slip: number
}

export interface TestRecipe {
  /** Share of tests with a wrong computation. */
  slip: number
  /** Share of tests whose inputs probe the steps' constants. */
  boundary: number
}

/** Demonstration `index` of the policy's corpus. */
export function programPieces(recipe: ProgramRecipe, seed: number, index: number): Piece[] {
  const { statement, spec } = problemOf(seed, index)
  const program = demonstrateProgram(spec, recipe, seededRandom('program corpus', seed, index))
  return [
    { text: codingFormats.policy.opening(statement), weight: 0 },
    { text: program, weight: 1, isResponse: true },
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

/** Demonstration `index` of the author's corpus: a rewrite in the given direction. */
export function rewritePieces(seed: number, index: number): Piece[] {
  for (let attempt = 0; ; attempt++) {
    const random = seededRandom('rewrite corpus', seed, index, attempt)
    const direction: Direction = chance(random, 0.5) ? 'harder' : 'easier'
    const task = drawTask(seed, index, random)
    const rewrite = demonstrateRewrite(task, direction, random)
    if (rewrite === null) continue
    const accuracy = (direction === 'harder' ? integer(random, 7, 8) : integer(random, 0, 1)) / 8
    const criticSummary = drawSummary(task.body.spec!, direction, random)
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

/** A generated task, or one rewritten up to three times, mostly to be harder, as in a run whose policy learns. */
function drawTask(seed: number, index: number, random: Random): CodingTask {
  let task = generateTask({ seed: seed * 1_000_003 + index, split: 'train' })
  for (let rewrites = chance(random, 0.5) ? integer(random, 1, 3) : 0; rewrites > 0; rewrites--) {
    const direction = chance(random, 0.75) ? 'harder' : 'easier'
    const candidates = candidateRewrites(task, direction, integer(random, 0, 2 ** 30))
    if (candidates.length === 0) return task
    const outcome = applyRewrite(task, pick(random, candidates), `${task.id}/rewritten`)
    if (outcome.ok) task = outcome.task
  }
  return task
}

/** Programs by which the loop judges a problem (presets.coding). */
const PROGRAMS = 8
const WRITTEN_TESTS = 8
const LIE_ODDS = 0.5
const LONGEST_VALUE = 32

/**
 * What method/test-writing/critic-summary.ts would say of a problem whose programs nearly all fail, or pass: the counts are drawn, and the
 * tests are like the reward model's.
 */
function drawSummary(spec: Spec, direction: Direction, random: Random): string {
  const counts = new Map<string, number>()
  const judged = integer(random, PROGRAMS - 1, PROGRAMS)
  if (direction === 'harder') counts.set('passed all tests', judged)
  else
    for (let test = 1; test <= PROGRAMS; test++) {
      const failed = integer(random, -PROGRAMS, judged)
      const verdict = chance(random, 0.95) ? 'wrong answer' : pick(random, ['runtime error', 'syntax error'])
      if (failed > 0) counts.set(`${verdict} on test ${test}`, failed)
    }
  // Sometimes the reward model is not asked.
  const written = chance(random, 0.1) ? 0 : WRITTEN_TESTS
  for (let i = 0; i < written; i++) {
    const lies = chance(random, LIE_ODDS)
    const { test } = codingFormats.reward.parse(demonstrateTest(spec, { slip: lies ? 1 : 0, boundary: 0.15 }, random))
    if (test === null) continue
    const input = compactReason(test.input, LONGEST_VALUE)
    if (lies) {
      const reason = `written ${input} -> ${compactReason(test.output, LONGEST_VALUE)} lies`
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
    } else if (direction === 'harder') counts.set(`passed written ${input}`, judged)
    else {
      const failed = integer(random, -2, judged)
      if (failed > 0) counts.set(`wrong answer on written ${input}`, failed)
    }
  }
  return countedReasons(counts)
}
