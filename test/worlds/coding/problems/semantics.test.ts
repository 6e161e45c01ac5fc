import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/worlds/coding/judge/verdict.ts'
import { evaluate } from '../../../../src/worlds/coding/problems/semantics.ts'
import { KINDS, type Kind, type Spec } from '../../../../src/worlds/coding/problems/spec.ts'
import { parseStep } from '../../../../src/worlds/coding/problems/statement.ts'

function spec(kind: Kind, ...phrases: string[]): Spec {
  return {
    kind,
    steps: phrases.map((phrase) => {
      const step = parseStep(phrase)
      if (!step) throw new Error(`"${phrase}" names no step.`)
      return step
    }),
  }
}

function values(of: Spec, inputs: Json[]) {
  const evaluation = evaluate(of, inputs)
  return evaluation.isInRange ? evaluation.trace.map(({ value }) => value) : evaluation.reason
}

describe('the value after every step', () => {
  it.each<[Kind, string[], Json[], unknown[]]>([
    ['arithmetic', ['subtract b from a', 'take the absolute value', 'take the remainder by 3'], [2, 7], [-5, 5, 2]],
    ['arithmetic', ['take the smaller of a and b', 'raise it to at least 2', 'square it'], [1, 9], [1, 2, 4]],
    ['conditions', ['if it is above 5 negate it else add 2', 'lower it to at most 7'], [5], [7, 7]],
    ['conditions', ['if it is above 5 negate it else add 2', 'lower it to at most 7'], [6], [-6, -6]],
    ['conditions', ['if it is odd add 1 else multiply by 2'], [-3], [-2]],
    ['strings', ['keep the last 2 letters', 'write it twice', 'count every "a"'], ['cba'], ['ba', 'baba', 2]],
    ['strings', ['replace every "a" by "b"', 'remove every "c"', 'reverse the letters'], ['cad'], ['cbd', 'bd', 'db']],
    ['strings', ['sort the letters', 'skip the first 2 letters', 'prepend "e"'], ['dacb'], ['abcd', 'cd', 'ecd']],
    ['arrays', ['keep the odd numbers', 'sort descending', 'keep the first 2 numbers'], [[1, -3, 4, 5]], [[1, -3, 5], [5, 1, -3], [5, 1]]], // prettier-ignore
    [
      'arrays',
      ['sort ascending', 'subtract 2 from each', 'take the sum'],
      [[10, 9, -1]],
      [[-1, 9, 10], [-3, 7, 8], 12],
    ],
    ['arrays', ['keep the numbers below 0', 'count the numbers'], [[1, 2]], [[], 0]],
    ['loops', ['count from 2 to below n', 'multiply each by 3', 'take the sum'], [5], [[2, 3, 4], [6, 9, 12], 27]],
    ['loops', ['count from 2 up to n', 'keep the even numbers'], [1], [[], []]],
  ])('%s: %j of %j', (kind, phrases, inputs, expected) => {
    expect(values(spec(kind, ...phrases), inputs)).toEqual(expected)
  })

  it('records running totals from their start to the value', () => {
    const evaluation = evaluate(spec('arrays', 'take the sum'), [[3, -1, 4]])
    expect(evaluation).toMatchObject({ isInRange: true, trace: [{ value: 6, working: [0, 3, 2, 6] }] })
    const largest = evaluate(spec('arrays', 'take the largest'), [[3, -1, 4]])
    expect(largest).toMatchObject({ isInRange: true, trace: [{ value: 4, working: [3, 3, 4] }] })
  })
})

describe('the range', () => {
  it.each<[Kind, string[], Json[], RegExp]>([
    ['arithmetic', ['multiply a by b', 'subtract 9'], [10, 10], /between -99 and 99/],
    ['arithmetic', ['add 1'], [99], /between -99 and 99/],
    ['arithmetic', ['take the remainder by 3'], [-1], /negative/],
    ['arithmetic', ['add 1'], [0.5], /not an integer/],
    ['arrays', ['take the sum', 'negate it'], [[60, 60, -60]], /between -99 and 99/],
    ['arrays', ['take the largest'], [[]], /of no numbers/],
    ['arrays', ['reverse the list'], [[1, 2, 3, 4, 5, 6, 7]], /more than 6/],
    ['strings', ['write it twice'], ['abcab'], /more than 8/],
    ['strings', ['reverse the letters'], ['abz'], /letters other/],
    ['loops', ['count from 0 up to n'], [6], /more than 6/],
    ['arrays', ['reverse the list'], [[1, 'a']], /types/],
    ['arithmetic', ['add a and b'], [1], /types/],
    ['arithmetic', ['add 1'], [1, 2], /types/],
    ['strings', ['reverse the letters'], [null], /types/],
  ])('%s: %j of %j is out of range', (kind, phrases, inputs, reason) => {
    expect(values(spec(kind, ...phrases), inputs)).toMatch(reason)
  })

  it('excludes any other JSON, for all kinds', () => {
    for (const kind of KINDS) {
      for (const input of [null, true, {}, [[]], ['a'], 'é', 1e300, [1e9]] as Json[]) {
        const steps = { arithmetic: 'add 1', conditions: 'if it is even add 1 else negate it', strings: 'append "a"', arrays: 'sort ascending', loops: 'count from 1 up to n' } // prettier-ignore
        expect(evaluate(spec(kind, steps[kind]), [input]).isInRange, `${kind} of ${JSON.stringify(input)}`).toBe(false)
      }
    }
  })
})
