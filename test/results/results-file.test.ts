import { describe, expect, it } from 'vitest'
import { paperCell } from '../../src/results/paper-numbers.ts'
import { parseResults, parseResultsIndex, ResultsError } from '../../src/results/results-file.ts'
import { madeUpCell, madeUpResults, madeUpRow } from './made-up-results.ts'

describe('a results file', () => {
  it('is read as it was written', () => {
    const results = madeUpResults({ map: [madeUpCell()] })
    expect(parseResults(JSON.parse(JSON.stringify(results)))).toEqual(results)
  })

  it('is refused with the field that is wrong', () => {
    const claims = [{ ...madeUpResults().claims[0]!, row: 'nobody' }]
    const wrong: [Partial<Record<string, unknown>>, RegExp][] = [
      [{ table: 'other' }, /: table: /],
      [{ seeds: [] }, /: seeds: /],
      [{ date: 'yesterday' }, /: date: /],
      [{ extra: 1 }, /extra/],
      [{ rows: [madeUpRow({ id: 'grpo', values: { id: [0.5] } })], claims: [] }, /one value for each seed/],
      [{ rows: [{ ...madeUpRow({ id: 'grpo' }), recording: '../secret' }], claims: [] }, /recording/],
      [{ claims }, /must compare rows/],
    ]
    for (const [change, message] of wrong) {
      const parse = () => parseResults({ ...madeUpResults(), ...change })
      expect(parse).toThrow(ResultsError)
      expect(parse).toThrow(message)
    }
    expect(() => parseResultsIndex({ tables: ['x'] })).toThrow(ResultsError)
    expect(parseResultsIndex({ tables: ['map'] })).toEqual(['map'])
  })
})

describe("the paper's numbers", () => {
  it('are those of Table 1', () => {
    const of = (row: string, measure: string) => paperCell('household', row, measure)?.value
    expect(['temperature-only', 'frozen-judge', 'policy-reward', 'full'].map((row) => of(row, 'id'))).toEqual([
      0.39, 0.511, 0.556, 0.602,
    ])
    expect(of('grpo', 'id')).toBeUndefined()
    expect(paperCell('coding', 'full', 'id-detect-sampled')?.value).toBeCloseTo(0.485, 12)
    expect(paperCell('signals', 'grpo', 'train')).toMatchObject({ isApproximate: true })
  })
})
