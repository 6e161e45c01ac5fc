import { describe, expect, it } from 'vitest'
import { lineParts, parseFormula, plainFormula } from '../../../../src/playground/kit/math/formula.ts'
import { plainProse, proseParts } from '../../../../src/playground/kit/math/prose.ts'

const letter = (text: string) => ({ kind: 'letter', text })

describe('the notation of formulas', () => {
  it('has fractions, subscripts and linked symbols', () => {
    expect(parseFormula('{#lambda{λ}}/{m}')).toEqual({
      kind: 'fraction',
      top: { kind: 'row', children: [{ kind: 'symbol', id: 'lambda', text: 'λ', body: letter('λ') }] },
      bottom: { kind: 'row', children: [letter('m')] },
    })
    expect(parseFormula('S_{i j}')).toEqual({
      kind: 'scripts',
      base: letter('S'),
      sub: { kind: 'row', children: [{ kind: 'row', children: [letter('i'), letter('j')] }] },
      sup: null,
    })
    expect(parseFormula('α_low')).toMatchObject({ base: letter('α'), sub: { kind: 'word', text: 'low' } })
  })

  it('reads accents, primes and raised numbers of running text', () => {
    expect(parseFormula('S̄')).toEqual({ kind: 'accent', base: letter('S'), mark: 'mean' })
    expect(parseFormula('S\u0302')).toMatchObject({ mark: 'hat' })
    expect(parseFormula('q′')).toMatchObject({ base: letter('q'), sup: { text: '′' } })
    expect(parseFormula('p₊')).toMatchObject({ base: letter('p'), sub: { text: '+' } })
  })

  it('tells a sign before a number from one between two', () => {
    const signs = (text: string) =>
      (parseFormula(text) as { children: { isPrefix?: boolean }[] }).children.flatMap(({ isPrefix }) => isPrefix ?? [])
    expect(signs('S = −1')).toEqual([false, true])
    expect(signs('E[S] − 1')).toEqual([false, false, false])
    expect(signs('−m')).toEqual([true])
  })

  it.each(['{m', 'm}', '_i', '#R{R'])('refuses what is not complete: %s', (text) => {
    expect(() => parseFormula(text)).toThrow(text)
  })

  it('has a plain form for names', () => {
    expect(plainFormula('#R{R_i} = #O{O} + {#lambda{λ}}/{#m{m}} #S{Σ_j S_{i j}}')).toBe('R_i = O + λ / m Σ_j S_ij')
    expect(plainFormula('#R{"+0.33"} = {"1"}/{"3"}')).toBe('+0.33 = 1 / 3')
  })
})

describe('the parts of a line', () => {
  const parts = (text: string) => lineParts(parseFormula(text)).map((part) => part.length)
  it('begin with a sign, and never within brackets', () => {
    expect(parts('μ = p₊ + p₋')).toEqual([1, 2, 2])
    expect(parts('E[S] = 2(μ − 1)')).toEqual([4, 7])
    expect(parts('#R{"0.33"} = #O{"−1"}')).toEqual([1, 1, 1])
  })
})

describe('text with formulas', () => {
  it('finds those that are marked, and symbols that are no word', () => {
    expect(proseParts('A vote $S$ earns $R · S$ at α_low; a step does not.').map(({ text }) => text)).toEqual([
      'A vote ',
      'S',
      ' earns ',
      'R · S',
      ' at ',
      'α_low',
      '; a step does not.',
    ])
    expect(proseParts('plain')).toEqual([{ isFormula: false, text: 'plain' }])
  })
  it('has a plain form', () => {
    expect(plainProse('A vote $S$ earns ${λ}/{m}$ below α_high')).toBe('A vote S earns λ / m below α_high')
  })
})
