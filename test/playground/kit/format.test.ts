import { describe, expect, it } from 'vitest'
import {
  unbroken,
  alternatives,
  compact,
  cut,
  decimal,
  exact,
  exactNumber,
  percent,
  roughTime,
  signed,
  whole,
} from '../../../src/playground/kit/format.ts'

describe('numbers', () => {
  it('give a rough waiting time', () => {
    expect([0.2, 59, 89, 90, 3600, 5399, 5400, 32_500, 172_800].map(roughTime)).toEqual([
      'about 1 second',
      'about 59 seconds',
      'about 89 seconds',
      'about 2 minutes',
      'about 60 minutes',
      'about 90 minutes',
      'about 2 hours',
      'about 9 hours',
      'about 2 days',
    ])
  })

  it('have a real minus sign, but none on a rounded zero', () => {
    expect(decimal(-0.5)).toBe('−0.50')
    expect(decimal(-0.001)).toBe('0.00')
    expect(signed(0.25)).toBe('+0.25')
    expect(signed(0)).toBe('0.00')
    expect(percent(0.625)).toBe('63 %')
    expect(whole(12345)).toBe('12\u202f345')
    expect(decimal(Number.NaN)).toBe('–')
  })

  it('are exact where every digit matters, and read back from what a person types', () => {
    const values = [0, 12345, 2147483647, 1.25e-4, 1e-4, -0.5, -1e-7, 100_000, 0.30000000000000004]
    expect(values.slice(0, 7).map(exact)).toEqual(['0', '12345', '2147483647', '1.25e−4', '1e−4', '−0.5', '−1e−7'])
    expect(values.map((value) => exactNumber(exact(value)))).toEqual(values)
    expect(['0,5', '-3', ' 7 ', '', 'x'].map(exactNumber)).toEqual([0.5, -3, 7, Number.NaN, Number.NaN])
  })

  it('are short', () => {
    expect([0.0003, 0.25, 1, 120000, 1 / 3].map(compact)).toEqual(['3e−4', '0.25', '1', '1.2e5', '0.3333'])
  })
})

it('cuts a long text, and leaves short ones whole', () => {
  expect(cut('put a book in drawer.', 21)).toBe('put a book in drawer.')
  expect(cut('put a book in drawer 1.', 12)).toBe('put a book…')
  expect(cut('put a book in drawer 1.', 0)).toBe('…')
})

it('lists alternatives with "or" before the last', () => {
  expect(alternatives(['a log'])).toBe('a log')
  expect(alternatives(['a log', 'a run'])).toBe('a log or a run')
  expect(alternatives(['a log', 'a run', 'games'])).toBe('a log, a run, or games')
})

it('keeps equations on one line', () => {
  expect(unbroken('in distribution, T = 0')).toBe('in distribution, T\u00a0=\u00a00')
  expect(unbroken('judge, balanced')).toBe('judge, balanced')
})
