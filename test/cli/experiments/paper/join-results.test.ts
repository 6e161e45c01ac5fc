import { describe, expect, it } from 'vitest'
import { QUICK } from '../../../../src/cli/experiments/paper/budget.ts'
import { buildResults } from '../../../../src/cli/experiments/paper/build-results.ts'
import {
  differenceOf,
  joinResults,
  OverlapError,
  pooled,
  seedsText,
} from '../../../../src/cli/experiments/paper/join-results.ts'
import { summary } from '../../../../src/results/paired-difference.ts'
import { parseSeeds } from '../../../../src/cli/experiments/paper/arguments.ts'
import { planTable } from '../../../../src/cli/experiments/paper/tables.ts'
import { parseResults, type ResultsFile, type TableName } from '../../../../src/results/results-file.ts'
import { accuracies, madeUpRecord, runsOf } from './made-up-records.ts'

const FROM = { date: '2026-03-01', models: { 'household-policy': 'abc' } }

function resultsOf(
  table: TableName,
  seeds: readonly number[],
  models: Record<string, string> = FROM.models,
): ResultsFile {
  const plan = planTable(table, { ...QUICK, seeds, sweepSeeds: seeds, mapSeeds: seeds }, ['weak'])
  const runs = runsOf(plan, (arm, seed) => {
    const end = 0.5 + 0.1 * Math.sin(17 * seed + arm.length) + (arm.startsWith('full') ? 0.1 : 0)
    return madeUpRecord({ seed, commits: [`c${seeds[0]}`], evaluations: accuracies(0.3 + 0.02 * (seed % 3), end) })
  })
  return buildResults(plan, runs, { ...FROM, models, command: `experiments -- paper --seeds ${seeds.join(',')}` })
}

const close = (a: unknown, b: unknown) => {
  const digits = (_: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 500) / 500 : value)
  expect(JSON.parse(JSON.stringify(a), digits)).toEqual(JSON.parse(JSON.stringify(b), digits))
}

describe('joining a table with the published seeds', () => {
  it.each(['household', 'signals', 'lambda', 'map'] as const)(
    'gives what one command over all seeds gives: %s',
    (table) => {
      const joined = joinResults(resultsOf(table, [3, 4, 5, 6]), resultsOf(table, [0, 1, 2]))
      const whole = resultsOf(table, [0, 1, 2, 3, 4, 5, 6])
      expect(parseResults(joined)).toEqual(joined)
      expect(joined.seeds).toEqual(whole.seeds)
      expect(joined.rows).toEqual(whole.rows)
      expect(joined.claims).toEqual(whole.claims)
      expect(joined.map).toEqual(whole.map)
      if (joined.curves !== undefined) close(joined.curves, whole.curves)
      expect(joined.curves === undefined).toBe(whole.curves === undefined)
      expect(joined.commits).toEqual(['c0', 'c3'])
      expect(joined.command).toBe('experiments -- paper --seeds 0-6')
    },
  )

  it('takes the new value of a seed that was run again', () => {
    const published = resultsOf('household', [0, 1])
    const again = resultsOf('household', [1, 2])
    again.rows[2]!.values['id']![0] = 0.99
    const joined = joinResults(again, published)
    expect(joined.seeds).toEqual([0, 1, 2])
    expect(joined.rows[2]!.values['id']).toEqual([
      published.rows[2]!.values['id']![0],
      0.99,
      again.rows[2]!.values['id']![1],
    ])
  })

  it.each(['lambda', 'map'] as const)('changes nothing where published seeds are published again: %s', (table) => {
    const published = resultsOf(table, [0, 1, 2])
    const { rows, claims, curves, map } = joinResults(resultsOf(table, [1]), published)
    expect({ rows, claims, curves, map }).toEqual({
      rows: published.rows,
      claims: published.claims,
      curves: published.curves,
      map: published.map,
    })
  })

  it('keeps the curves of published seeds that are measured by something more', () => {
    const own = resultsOf('lambda', [1])
    const whole = resultsOf('lambda', [0, 1])
    const rows = whole.rows.map((row) => ({ ...row, values: { ...row.values, ood: [null, null] } }))
    const joined = joinResults(own, { ...whole, rows })
    expect(joined.curves).toEqual(whole.curves)
    expect(joined.rows[0]!.values['ood']).toEqual([null, own.rows[0]!.values['ood']![0]])
  })

  it('is refused where means would lose seeds', () => {
    const published = resultsOf('lambda', [0, 1])
    const again = resultsOf('lambda', [1, 2])
    expect(() => joinResults(again, published)).toThrow(OverlapError)
    expect(() => joinResults(again, published)).toThrow('Publish only --seeds 2, or all of --seeds 0-2 together.')
    const other = resultsOf('lambda', [1])
    other.rows[0]!.values['id']![0] = 0.99
    expect(() => joinResults(other, published)).toThrow('Publish all of --seeds 0-1 together.')
  })

  it('compares the rows of a map anew where one of its seeds was run again', () => {
    const again = resultsOf('map', [1, 2])
    const full = again.rows.find(({ id }) => id === again.map![0]!.row)!
    full.values['id']![0] = full.values['id']![0]! + 0.3
    const { map, rows } = joinResults(again, resultsOf('map', [0, 1]))
    const whole = resultsOf('map', [0, 1, 2])
    expect(map![0]!.gain!.mean).toBeCloseTo(whole.map![0]!.gain!.mean + 0.1, 3)
    expect(map![0]).toMatchObject({ seeds: 3, startAccuracy: 0.32 })
    expect(rows.find(({ id }) => id === full.id)!.values['id']).toHaveLength(3)
  })

  it('is refused where start models or settings differ', () => {
    const published = resultsOf('household', [0, 1])
    expect(differenceOf(resultsOf('household', [2]), published)).toBeNull()
    expect(differenceOf(resultsOf('household', [2], { 'household-policy': 'xyz' }), published)).toBe('the start models')
    const longer = resultsOf('household', [2])
    longer.rows[3]!.iterations += 1
    expect(differenceOf(longer, published)).toBe('the settings of a row')
  })

  it('leaves unknown what published seeds were not measured by, and loses no measure', () => {
    const whole = resultsOf('household', [0, 1])
    const measures = whole.measures.filter(({ id }) => id !== 'id-sampled')
    const rows = whole.rows.map((row) => {
      const { 'id-sampled': _, ...values } = row.values
      return { ...row, values }
    })
    const published: ResultsFile = { ...whole, measures, rows }
    const own = resultsOf('household', [2])
    expect(differenceOf(own, published)).toBeNull()
    const joined = joinResults(own, published)
    expect(joined.rows.at(-1)!.values['id-sampled']).toEqual([null, null, own.rows.at(-1)!.values['id-sampled']![0]])
    expect(parseResults(joined)).toEqual(joined)
    expect(differenceOf(published, own)).toBe('the measures')
  })

  it('pools means and intervals as if all values were known', () => {
    const [a, b] = [[0.1, 0.4, 0.35], [0.9]]
    const both = pooled(summary(a)!, summary(b)!)
    const whole = summary([...a, ...b])!
    expect(both.n).toBe(4)
    for (const part of ['mean', 'low', 'high'] as const) expect(both[part]).toBeCloseTo(whole[part]!, 12)
  })

  it('writes seeds as the option reads them', () => {
    for (const seeds of [[0], [0, 1, 2], [0, 2, 3, 9], [4, 6]]) expect(parseSeeds(seedsText(seeds))).toEqual(seeds)
    expect(seedsText([0, 1, 2, 5])).toBe('0-2,5')
  })
})
