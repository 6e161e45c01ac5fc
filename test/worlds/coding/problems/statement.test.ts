import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawStep } from '../../../../src/worlds/coding/problems/generator.ts'
import { OPS, type Step } from '../../../../src/worlds/coding/problems/spec.ts'
import { parseStep, phraseOf, statementOf } from '../../../../src/worlds/coding/problems/statement.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'

const anyStep = fc
  .tuple(fc.constantFrom(...OPS), fc.nat())
  .map(([op, seed]): Step => drawStep(op, seededRandom('any step', seed)))

describe('a step as text', () => {
  it('is read back unchanged', () => {
    fc.assert(
      fc.property(anyStep, (step) => void expect(parseStep(phraseOf(step))).toEqual(step)),
      { numRuns: 500 },
    )
  })

  it.each([
    '',
    'add',
    'add x',
    'add 3 ',
    'add 1e3',
    'add 1000',
    'append b',
    'append "bb"',
    'if it is even',
    'if it is even add 1',
    'if it is even add 1 else',
    'if it is even add 1 else add 2 else add 3',
    'if it is even if it is odd add 1 else add 2 else add 3',
    'if it is even take the sum else add 1',
    'constructor',
    '__proto__',
  ])('"%s" is not a step', (text) => {
    expect(parseStep(text)).toBeNull()
  })
})

it('a statement says what f takes, the steps in order, and what to return', () => {
  const steps: Step[] = [
    { op: 'keep-above', constants: [3] },
    { op: 'each-multiply', constants: [2] },
    { op: 'sum', constants: [] },
  ]
  expect(statementOf({ kind: 'arrays', steps })).toBe(
    'Write f(xs) for a list of numbers xs: keep the numbers above 3, multiply each by 2, take the sum. Return the result.',
  )
})
