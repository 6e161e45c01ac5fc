import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CodingTask } from '../../../../src/worlds/coding/problem.ts'
import { describeSpec } from '../../../../src/worlds/coding/problems/statement.ts'
import { drawStep, problemOf, taskOfProblem } from '../../../../src/worlds/coding/problems/generator.ts'
import {
  formatRewrite,
  parseRewrite,
  type SpecRewrite,
} from '../../../../src/worlds/coding/problems/rewrite-language.ts'
import { applyRewrite, candidateRewrites } from '../../../../src/worlds/coding/problems/rewrites.ts'
import { effortOf, OPS, specKey, type Kind, type Step } from '../../../../src/worlds/coding/problems/spec.ts'
import { splitOf } from '../../../../src/worlds/coding/problems/splits.ts'
import { parseStep } from '../../../../src/worlds/coding/problems/statement.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import { tasks, verdicts } from './samples.ts'

const anyStep = fc
  .tuple(fc.constantFrom(...OPS), fc.nat())
  .map(([op, seed]): Step => drawStep(op, seededRandom('any step', seed)))
const at = fc.integer({ min: 1, max: 6 })
const anyRewrite: fc.Arbitrary<SpecRewrite> = fc.oneof(
  fc.record({ kind: fc.constantFrom('insert' as const, 'replace' as const), at, step: anyStep }),
  fc.record({ kind: fc.constant('remove' as const), at }),
  fc.record({
    kind: fc.constant('set' as const),
    at,
    constant: fc.oneof(fc.integer({ min: -12, max: 12 }), fc.constantFrom('a', 'b', 'c', 'd', 'e', 'z')),
  }),
  fc.record({ kind: fc.constant('swap' as const), at }),
)

function task(kind: Kind, ...phrases: string[]): CodingTask {
  const made = problemOf({ kind, steps: phrases.map((phrase) => parseStep(phrase)!) })
  if (!made.ok) throw new Error(made.reason)
  return taskOfProblem(made.problem, 'by-hand')
}

const evens = task('arrays', 'keep the even numbers', 'add 3 to each', 'take the sum')

describe('the language', () => {
  it('reads back what it writes', () => {
    fc.assert(fc.property(anyRewrite, (rewrite) => void expect(parseRewrite(formatRewrite(rewrite))).toEqual(rewrite)))
  })

  it('ignores letter case, blanks and a full stop', () => {
    expect(parseRewrite('  Insert 2  sort Ascending.\n')).toEqual(parseRewrite('insert 2 sort ascending'))
    expect(parseRewrite('insert 2 sort ascending')).not.toBeNull()
  })

  it.each([
    '',
    'remove',
    'remove 0',
    'remove 10',
    'remove -1',
    'remove 1\nremove 2',
    'swap 1 and 3',
    'swap 2 and 1',
    'set 1 to',
    'set 1 to "ab"',
    'insert sort ascending',
    'insert 1 sort',
    'replace 1',
    '__proto__',
    'insert 1 constructor',
    `insert 1 ${'a'.repeat(300)}`,
    'add 3',
    'set 1 to 1e9',
    'insert 1 if it is even add 1 else if it is odd add 2 else add 3',
  ])('does not read %j', (text) => {
    // prettier-ignore
    expect(parseRewrite(text)).toBeNull()
  })
})

describe('a rewrite', () => {
  it.each<[string, string[]]>([
    ['insert 1 negate each', ['negate each', 'keep the even numbers', 'add 3 to each', 'take the sum']],
    ['insert 4 add 2', ['keep the even numbers', 'add 3 to each', 'take the sum', 'add 2']],
    ['remove 3', ['keep the even numbers', 'add 3 to each']],
    ['replace 3 take the largest', ['keep the even numbers', 'add 3 to each', 'take the largest']],
    ['set 2 to 5', ['keep the even numbers', 'add 5 to each', 'take the sum']],
    ['swap 1 and 2', ['add 3 to each', 'keep the even numbers', 'take the sum']],
  ])('"%s" changes the steps accordingly', (text, phrases) => {
    const outcome = applyRewrite(evens, text, 'new')
    expect(outcome).toMatchObject({ ok: true, message: `Applied: ${text}.`, task: { id: 'new', rootId: evens.rootId } })
    expect(outcome.ok && outcome.task.body.spec!.steps).toEqual(phrases.map((phrase) => parseStep(phrase)!))
  })

  it.each([
    ['remove 4', 'There is no step 4: the problem has 3.'],
    ['swap 3 and 4', 'There is no step 4: the problem has 3.'],
    ['insert 5 add 1', 'There is no step 5: the problem has 3.'],
    ['set 1 to 3', 'Step 1 has no constant.'],
    ['set 2 to 3', 'The problem is so already.'],
    ['set 2 to 77', 'Step 2 cannot have the constant 77.'],
    ['set 2 to "a"', 'Step 2 cannot have the constant "a".'],
    ['insert 4 sort ascending', 'Step 4 needs a list, and there is a number.'],
    ['swap 2 and 3', 'Step 3 needs a list, and there is a number.'],
    ['insert 1 reverse the letters', 'Step 1 does not belong into a problem about arrays.'],
    ['replace 3 count the numbers', 'Step 2 would change nothing.'],
    ['insert 3 sort descending', 'Step 3 would change nothing.'],
    ['make it harder', '"make it harder" is not a rewrite.'],
  ])('"%s" is refused: %s', (text, message) => {
    expect(applyRewrite(evens, text, 'new')).toEqual({ ok: false, message })
  })

  it('is refused if it leaves nothing, too much or the same', () => {
    const one = task('strings', 'reverse the letters')
    expect(applyRewrite(one, 'remove 1', 'new')).toMatchObject({ ok: false, message: /1 to 4 steps, not 0/ })
    const four = task('arithmetic', 'add 2', 'multiply by 3', 'subtract 1', 'negate it')
    expect(applyRewrite(four, 'insert 1 add 3', 'new')).toMatchObject({ ok: false, message: /1 to 4 steps, not 5/ })
    const sum = task('arithmetic', 'add 2', 'subtract 7')
    const same = { ok: false, message: 'It would ask for the same as before.' }
    expect(applyRewrite(sum, 'swap 1 and 2', 'new')).toEqual(same)
  })

  it('is refused if it turns a training problem into one of another split', () => {
    const original = task('arithmetic', 'negate it', 'multiply by 3')
    expect(splitOf(original.body.spec!)).toBe('train')
    const rewritten = { kind: 'arithmetic', steps: [...original.body.spec!.steps].reverse() } as const
    expect(splitOf(rewritten)).toBe('id')
    const kept = { ok: false, message: 'This combination of steps is kept for measuring generalisation.' }
    expect(applyRewrite(original, 'swap 1 and 2', 'new')).toEqual(kept)
  })

  it('is refused with a message for an imported problem', () => {
    const imported = { ...evens, body: { ...evens.body, spec: null } }
    expect(applyRewrite(imported, 'remove 1', 'new')).toMatchObject({ ok: false, message: /not generated/ })
  })

  it('is accepted only if it gives a good problem, and otherwise says why in a sentence', async () => {
    const pool = [...tasks('train', 40), ...tasks('ood', 20)]
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...pool), anyRewrite, async (original, rewrite) => {
        const outcome = applyRewrite(original, rewrite, 'new')
        if (!outcome.ok) {
          expect(outcome.message).toMatch(/^[A-Z][^\n]*\.$/)
          return
        }
        accepted++
        const { body, rootId, instruction } = outcome.task
        expect({ rootId, instruction }).toEqual({ rootId: original.rootId, instruction: body.statement })
        expect(problemOf(body.spec!)).toEqual({ ok: true, problem: body })
        expect(specKey(body.spec!)).not.toBe(specKey(original.body.spec!))
        if (splitOf(original.body.spec!) === 'train') expect(splitOf(body.spec!)).toBe('train')
        const judged = await verdicts(body.reference!, body.tests)
        expect(judged.every(({ kind }) => kind === 'passed')).toBe(true)
        // The old solution does not solve the new problem.
        const old = await verdicts(original.body.reference!, body.tests)
        expect(old.some(({ kind }) => kind !== 'passed')).toBe(true)
      }),
      { numRuns: 1500 },
    )
    expect(accepted).toBeGreaterThan(50)
  })

  it('never throws, whatever the text', () => {
    const words = fc.constantFrom('insert ', 'replace ', 'remove ', 'set ', 'swap ', '1 ', '2 ', '-', 'to ', 'and ', '3', '"a"', 'if it is even ', 'else ', 'add 3 ', 'sort ascending', '\n', '\u0000', '\ud800', '{0}', '$&', '.') // prettier-ignore
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constant('remove 1 '.repeat(100_000)),
      fc.array(words, { maxLength: 12 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, (hostile) => {
        const outcome = applyRewrite(evens, hostile, 'new')
        expect(typeof outcome.message).toBe('string')
        expect(outcome.message.length).toBeLessThan(300)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('rewrites that are accepted', () => {
  it('change the effort in the direction', () => {
    let accepted = 0
    for (const original of tasks('train', 6, 300)) {
      const effort = effortOf(original.body.spec!)
      for (const direction of ['harder', 'easier'] as const) {
        for (const rewrite of candidateRewrites(original, direction)) {
          const outcome = applyRewrite(original, formatRewrite(rewrite), 'new')
          if (!outcome.ok) continue
          accepted++
          const change = effortOf(outcome.task.body.spec!) - effort
          expect(direction === 'harder' ? change : -change).toBeGreaterThan(0.2)
        }
      }
    }
    expect(accepted).toBeGreaterThan(100)
  })
})

it('the author reads the steps with their numbers', () => {
  expect(describeSpec(evens)).toBe(
    'Write f(xs) for a list of numbers xs:\n1 keep the even numbers\n2 add 3 to each\n3 take the sum',
  )
})
