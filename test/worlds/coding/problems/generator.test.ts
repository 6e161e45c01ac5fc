import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/worlds/coding/judge/verdict.ts'
import { expectingTests } from '../../../../src/worlds/coding/problem.ts'
import { groundTruthOf } from '../../../../src/worlds/coding/problems/generated-tests.ts'
import { generateTask, problemOf } from '../../../../src/worlds/coding/problems/generator.ts'
import { evaluate, isSameValue } from '../../../../src/worlds/coding/problems/semantics.ts'
import { KINDS, malformation, specKey, type Spec } from '../../../../src/worlds/coding/problems/spec.ts'
import { isHeldOutPair, splitOf } from '../../../../src/worlds/coding/problems/splits.ts'
import { parseStep, statementOf } from '../../../../src/worlds/coding/problems/statement.ts'
import { tasks, verdicts } from './samples.ts'

const SPLITS = ['train', 'id', 'ood'] as const
const sampled = Object.fromEntries(SPLITS.map((split) => [split, tasks(split, 250)]))
const all = SPLITS.flatMap((split) => sampled[split]!)

const specOf = (kind: Spec['kind'], ...phrases: string[]): Spec => ({
  kind,
  steps: phrases.map((phrase) => parseStep(phrase)!),
})

describe('generated problems', () => {
  it('depend only on the seed', () => {
    expect(generateTask({ seed: 7, split: 'id' })).toEqual(generateTask({ seed: 7, split: 'id' }))
    const keys = new Set(sampled.train!.map(({ body }) => specKey(body.spec!)))
    expect(keys.size).toBeGreaterThan(200)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  })

  it('have a reference solution that passes their tests', async () => {
    for (const { body } of all) {
      const judged = await verdicts(body.reference!, body.tests)
      expect(
        judged.every(({ kind }) => kind === 'passed'),
        body.statement,
      ).toBe(true)
    }
  })

  it('have eight different tests in range, with several results', () => {
    for (const { body } of all) {
      expect(new Set(body.tests.map(({ input }) => input)).size).toBe(8)
      expect(new Set(body.tests.map(({ output }) => output)).size).toBeGreaterThanOrEqual(3)
      for (const { input, output } of expectingTests(body)) {
        const evaluation = evaluate(body.spec!, JSON.parse(input) as Json[])
        expect(evaluation).toMatchObject({ isInRange: true, output: JSON.parse(output) as Json })
      }
    }
  })

  it('are well formed, and each of their steps matters in some test', () => {
    for (const { body } of all) {
      const spec = body.spec!
      expect(malformation(spec)).toBeNull()
      for (const [at] of spec.steps.entries()) {
        const hasEffect = body.tests.some(({ input }) => {
          const inputs = JSON.parse(input) as Json[]
          const evaluation = evaluate(spec, inputs)
          if (!evaluation.isInRange) return false
          const before = at === 0 ? inputs[0] : evaluation.trace[at - 1]!.value
          return inputs.length > 1 || !isSameValue(before as number, evaluation.trace[at]!.value)
        })
        expect(hasEffect, `step ${at + 1} of ${body.statement}`).toBe(true)
      }
    }
  })

  it('cover all kinds and lengths about as drawn', () => {
    for (const kind of KINDS) {
      const share = sampled.train!.filter((task) => task.kind === kind).length / 250
      expect(share, kind).toBeGreaterThan(0.12)
      expect(share, kind).toBeLessThan(0.28)
    }
    expect(new Set(sampled.train!.map(({ body }) => body.spec!.steps.length))).toEqual(new Set([1, 2, 3, 4]))
  })

  it('contain the whole spec in the instruction', () => {
    const byStatement = new Map(all.map(({ body }) => [body.statement, specKey(body.spec!)]))
    for (const { body, instruction } of all) {
      expect(instruction).toBe(statementOf(body.spec!))
      expect(byStatement.get(instruction)).toBe(specKey(body.spec!))
    }
  })
})

describe('a degenerate spec', () => {
  it.each<[Spec, RegExp]>([
    [specOf('arithmetic', 'add 3', 'subtract 3'), /change nothing|what f is given/],
    [specOf('arithmetic', 'multiply by 4', 'take the remainder by 2'), /always the same/],
    [specOf('arrays', 'sort ascending', 'take the sum'), /Step 1 would change nothing/],
    [specOf('arrays', 'reverse the list', 'sort ascending'), /Step 1 would change nothing/],
    [specOf('arrays', 'keep the even numbers', 'keep the odd numbers'), /always the same/],
    [specOf('conditions', 'if it is above 3 add 2 else add 2'), /condition of step 1/],
    [specOf('conditions', 'raise it to at least 6', 'if it is below 3 add 2 else negate it'), /condition of step 2/],
    [specOf('arrays', 'take the sum', 'sort ascending'), /Step 2 needs a list/],
    [specOf('conditions', 'add 2'), /No step has a condition/],
    [specOf('strings', 'replace every "a" by "a"'), /by itself/],
    [specOf('loops', 'sort ascending'), /does not belong/],
    [specOf('arithmetic', 'add 77'), /constant 77/],
    [specOf('arithmetic'), /1 to 4 steps/],
  ])('%j', (spec, reason) => {
    const made = problemOf(spec)
    expect(made.ok ? made.problem.statement : made.reason).toMatch(reason)
  })
})

describe('the splits', () => {
  it('share no spec', () => {
    for (const split of SPLITS) {
      for (const { body } of sampled[split]!) expect(splitOf(body.spec!)).toBe(split)
    }
    const keys = SPLITS.map((split) => new Set(sampled[split]!.map(({ body }) => specKey(body.spec!))))
    expect([...keys[0]!].filter((key) => keys[1]!.has(key) || keys[2]!.has(key))).toEqual([])
    expect([...keys[1]!].filter((key) => keys[2]!.has(key))).toEqual([])
  })

  it('have held-out pairs of steps only in ood, and one in each of its problems', () => {
    const hasHeldOut = ({ steps }: Spec) => steps.some(({ op }, i) => i > 0 && isHeldOutPair(steps[i - 1]!.op, op))
    for (const split of SPLITS) {
      for (const { body } of sampled[split]!) expect(hasHeldOut(body.spec!)).toBe(split === 'ood')
    }
  })

  it('reach all kinds', () => {
    for (const split of SPLITS) expect(new Set(sampled[split]!.map(({ kind }) => kind)).size).toBe(KINDS.length)
  })
})

it('chooses the same ground truth for the same spec', () => {
  const { spec } = sampled.train![3]!.body
  expect(groundTruthOf(spec!)).toEqual(groundTruthOf(structuredClone(spec!)))
})
