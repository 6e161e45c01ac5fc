import { describe, expect, it } from 'vitest'
import {
  settingsOf,
  tableRows,
  tally,
  writeClaim,
  writeMean,
  writeProvenance,
} from '../../../../src/playground/views/results/result-table.ts'
import { resultCharts } from '../../../../src/playground/views/results/result-curves.ts'
import { madeUpResults, madeUpRow } from '../../../results/made-up-results.ts'

const results = madeUpResults()

describe('a table of results', () => {
  it("has our mean with its interval, and the paper's number beside it", () => {
    const rows = tableRows(results)
    expect(rows.map(({ cells }) => cells[0])).toEqual([
      { text: '40.0 ± 0.0 %', paper: 'paper 39.0 %', note: null },
      // 12.706 · 0.01414 / √2; the paper has no such row.
      { text: '49.0 ± 12.7 %', paper: null, note: '2 of 3 seeds' },
      { text: '60.0 ± 2.5 %', paper: 'paper 60.2 %', note: null },
    ])
  })

  it('has no interval for one seed, and a dash for nothing', () => {
    expect(writeMean([0.5], 'share')).toBe('50.0 %')
    expect(writeMean([], 'share')).toBe('–')
    expect(writeMean([1000, 1000], 'count')).toBe('1\u202f000 ± 0')
    expect(writeMean([-0.25], 'number')).toBe('−0.25')
  })

  it('says by how much a claim holds or fails', () => {
    expect(results.claims.map((claim) => writeClaim(results, claim))).toEqual([
      '+20.0 points (+17.5 to +22.5)',
      '−10.5 points (−16.9 to −4.1)',
    ])
    expect(writeClaim(results, { ...results.claims[0]!, difference: null })).toBe('–')
    const single = { mean: 0.1, low: null, high: null, n: 1 }
    expect(writeClaim(results, { ...results.claims[0]!, difference: single })).toBe('+10.0 points, one seed')
  })

  it('counts what holds and what does not', () => {
    const claim = madeUpResults().claims[0]!
    const tallyOf = (...verdicts: (typeof claim.verdict)[]) =>
      tally(verdicts.map((verdict) => ({ ...claim, verdict }))).map(({ verdict, count }) => `${count} ${verdict}`)
    expect(tallyOf('does not hold', 'holds', 'not decided')).toEqual(['1 holds', '1 does not hold', '1 not decided'])
    const mixed = tallyOf('not decided', 'holds', 'not decided', 'not measured', 'holds')
    expect(mixed).toEqual(['2 holds', '2 not decided'])
    expect(tallyOf('does not hold', 'does not hold')).toEqual(['2 does not hold'])
    expect(tallyOf('not measured')).toEqual([])
  })

  it('says where it comes from', () => {
    expect(writeProvenance(results)).toBe(
      '3 seeds (0 to 2), 40 iterations, 200 held-out tasks a split, CPU, commit abc1234, 2026-03-01',
    )
    expect(writeProvenance(madeUpResults({ seeds: [3, 5], commits: ['a', 'b'] }))).toContain('2 seeds (3, 5)')
  })
})

describe('an arm', () => {
  it("runs here with its own settings and the table's first seed", () => {
    const row = madeUpRow({ id: 'full', settings: { lambda: 4 } })
    expect(settingsOf({ seeds: [7, 8] }, row)).toMatchObject({
      lambda: 4,
      seed: 7,
      trainReward: true,
      world: 'household',
    })
  })

  it('does not run here before training, from models that do not ship, or with settings that are gone', () => {
    const of = (row: Parameters<typeof madeUpRow>[0]) => settingsOf(results, madeUpRow(row))
    expect(of({ id: 'full', isStart: true })).toBeNull()
    expect(of({ id: 'full', start: 'weak' })).toBeNull()
    expect(of({ id: 'full', preset: 'household+gone' })).toBeNull()
    expect(of({ id: 'full', settings: { gone: 1 } })).toBeNull()
  })
})

describe('the curves of a table', () => {
  it('are one chart for each measure, with a look for each arm', () => {
    const point = (iteration: number, mean: number) => ({ iteration, mean, low: null, high: null, n: 1 })
    const curves = ['grpo', 'full'].map((row) => ({ row, measure: 'id', points: [point(0, 0.4), point(40, 0.6)] }))
    const charts = resultCharts(madeUpResults({ curves }))
    expect(charts).toHaveLength(1)
    expect(charts[0]).toMatchObject({ lastIteration: 40, chart: { unit: 'share', title: 'In distribution, T = 0' } })
    expect(charts[0]!.chart.series.map(({ name, points }) => [name, points])).toEqual([
      ['GRPO', [{ x: 0, y: 0.4 }, { x: 40, y: 0.6 }]],
      ['Full loop', [{ x: 0, y: 0.4 }, { x: 40, y: 0.6 }]],
    ]) // prettier-ignore
    expect(new Set(charts[0]!.chart.series.map(({ hue, line }) => hue + line)).size).toBe(2)
    expect(resultCharts(results)).toEqual([])
  })
})
