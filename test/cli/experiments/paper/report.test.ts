import { describe, expect, it } from 'vitest'
import { QUICK } from '../../../../src/cli/experiments/paper/budget.ts'
import { buildResults } from '../../../../src/cli/experiments/paper/build-results.ts'
import { agreement, markdownReport, textReport, withSections } from '../../../../src/cli/experiments/paper/report.ts'
import { planTable } from '../../../../src/cli/experiments/paper/tables.ts'
import { madeUpCell } from '../../../results/made-up-results.ts'
import { accuracies, madeUpRecord, runsOf } from './made-up-records.ts'

const FROM = { command: 'npm run experiments -- paper --table votes', date: '2026-03-01', models: {} }
const plan = planTable('votes', { ...QUICK, sweepSeeds: [0, 1] }, [])
const resultsWith = (ends: (arm: string, seed: number) => number) =>
  buildResults(
    plan,
    runsOf(plan, (arm, seed) => madeUpRecord({ seed, evaluations: accuracies(0.4, ends(arm, seed)) })),
    FROM,
  )
const results = resultsWith((arm, seed) => (arm === 'votes-3' ? 0.6 : 0.5) + 0.02 * seed)

describe('the report of a table', () => {
  it('has rows with intervals, and the verdict of each claim', () => {
    const lines = textReport(results).split('\n')
    expect(lines[0]).toBe('Votes for each step: m')
    expect(lines[1]).toBe('2 seeds (0, 1), 6 iterations, cpu, commit abc, 2026-03-01')
    // Half the interval of two seeds that differ by 2 points: 12.706 · 1.414 / √2.
    expect(lines.find((line) => line.startsWith('m = 3 '))).toMatch(/61\.0 ± 12\.7 %/)
    expect(lines).toContain('m = 3 above m = 1: in distribution, T = 0: holds: +10.0 points (+10.0 to +10.0)')
    expect(lines).toContain('m = 3 above m = 1: out of distribution, T = 0: not measured')
  })

  it('says which cells have fewer seeds than the table', () => {
    const rows = results.rows.map((row) => ({ ...row, values: { ...row.values, id: [null, row.values['id']![1]!] } }))
    const line = (of: typeof results) =>
      textReport(of)
        .split('\n')
        .find((each) => each.startsWith('m = 3 '))
    expect(line({ ...results, rows })).toMatch(/62\.0 % \(1 of 2 seeds\)/)
    expect(line(results)).not.toContain('of 2 seeds')
  })

  it('is a section of the documentation, which keeps the prose around it', () => {
    const page = 'Prose.\n<!-- results:votes -->\nformer\n<!-- /results:votes -->\nMore prose.\n'
    const text = withSections(page, { votes: markdownReport('votes', results, plan.about) })
    expect(text).toMatch(/^Prose\.\n<!-- results:votes -->\n\n/)
    expect(text).toMatch(/<!-- \/results:votes -->\nMore prose\.\n$/)
    expect(text).not.toContain('former')
    expect(text).toContain('| m = 3 | 61.0 ± 12.7 % | – | – |')
    expect(text).toContain('**holds** | +10.0 points (+10.0 to +10.0) |')
    expect(text).toContain('npm run experiments -- paper --table votes')
    expect(withSections(text, { votes: 'x' })).toContain('<!-- results:votes -->\n\nx\n<!-- /results:votes -->')
    expect(() => withSections('', { votes: 'x' })).toThrow(/has no section/)
  })

  it('draws a map as a grid for each baseline and λ', () => {
    const map = [
      madeUpCell({ collapsed: 2 }),
      madeUpCell({ voteFlips: 0.2, gain: { mean: -0.02, low: -0.1, high: 0.06, n: 3 }, pleased: 1 }),
      madeUpCell({ over: 'frozen-judge', startAccuracy: null }),
    ]
    const lines = markdownReport('map', { ...results, map }, 'The map.').split('\n')
    expect(lines).toContain('| λ = 1, over outcomes alone | ε = 0 | ε = 0.2 |')
    expect(lines).toContain(
      '| weak (22.0 % at the start) | **+5.0 points (+1.0 to +9.0)** ▼ | −2.0 points (−10.0 to +6.0) |',
    )
    expect(lines).toContain('| λ = 1, over a frozen judge | ε = 0 |')
    expect(lines).toContain('| weak | **+5.0 points (+1.0 to +9.0)** |')
    expect(lines.some((line) => line.includes('▼ the judge collapsed'))).toBe(true)
    const text = textReport({ ...results, map })
    expect(text).toContain('weak, λ = 1, ε = 0, over grpo: +5.0 points (+1.0 to +9.0); judge collapsed in 2 of 3')
    expect(text).not.toContain('m = 3')
  })

  it('says how to make a table that has no results', () => {
    expect(markdownReport('map', null, 'The map.')).toContain(
      'No results are published for this table. To make them:\n\n```\nnpm run experiments -- paper --table map\n```',
    )
  })

  it('tells whether other seeds agree with the published ones', () => {
    const other = resultsWith((arm) => (arm === 'votes-3' ? 0.65 : 0.9))
    const lines = agreement(other, results)
    expect(lines[0]).toBe('m = 3, in distribution, T = 0: 65.0 ± 0.0 % is within 61.0 ± 12.7 %')
    expect(lines[1]).toBe('m = 1, in distribution, T = 0: 90.0 ± 0.0 % is outside of 51.0 ± 12.7 %')
    const [constant, rounded] = [resultsWith(() => 0.769918), resultsWith(() => 0.769918 + 1e-15)]
    expect(agreement(rounded, constant)[0]).toContain('77.0 ± 0.0 % is within 77.0 ± 0.0 %')
  })
})
