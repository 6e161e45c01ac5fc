import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ArgumentError } from '../../../../src/cli/arguments.ts'
import { parsePaperArguments, parseSeeds } from '../../../../src/cli/experiments/paper/arguments.ts'
import { QUICK_TABLES } from '../../../../src/cli/experiments/paper/tables.ts'
import { TABLES } from '../../../../src/results/results-file.ts'

describe('the arguments of the paper', () => {
  it('read seeds as ranges and lists', () => {
    expect(parseSeeds('0-7')).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(parseSeeds('100-103, 5,5')).toEqual([5, 100, 101, 102, 103])
    for (const wrong of ['', '3-1', '1..4', '-1', '0-1000000']) expect(() => parseSeeds(wrong)).toThrow(ArgumentError)
  })

  it('make all tables, or a few quickly', () => {
    expect(parsePaperArguments([])!.tables).toEqual(TABLES)
    expect(parsePaperArguments(['--quick'])!.tables).toEqual(QUICK_TABLES)
    const one = parsePaperArguments(['--table', 'map', '--seeds', '0-1', '--iterations', '3'])!
    expect(one.tables).toEqual(['map'])
    expect(one.budget).toMatchObject({ mapSeeds: [0, 1], mapIterations: 3, iterations: { household: 3, coding: 3 } })
  })

  it('name settings and start policies', () => {
    const given = [
      '--set',
      'lambda=0.5',
      '--policy-model',
      'weak=models/weak',
      '--policy-model',
      'strong=models/strong',
    ]
    const options = parsePaperArguments(given)!
    expect(options.overrides).toEqual({ lambda: 0.5 })
    expect(options.starts).toEqual({ weak: resolve('models/weak'), strong: resolve('models/strong') })
    expect(parsePaperArguments([])!.starts).toEqual({ shipped: null })
    const both = ['--policy-model', 'weak=models/weak', '--policy-model', 'shipped']
    expect(parsePaperArguments(both)!.starts).toEqual({ weak: resolve('models/weak'), shipped: null })
  })

  it('refuse what they do not know, and quick results as published ones', () => {
    for (const wrong of [
      ['--table', 'x'],
      ['--policy-model', 'weak'],
      ['--quick', '--publish'],
      ['--set', 'x=1'],
      ['--at-once', '0'],
    ])
      expect(() => parsePaperArguments(wrong)).toThrow(ArgumentError)
    expect(parsePaperArguments(['--help'])).toBeNull()
  })
})
