import { describe, expect, it } from 'vitest'
import { partColumns, partEffects } from '../../src/results/part-effects.ts'
import { madeUpResults, madeUpRow } from './made-up-results.ts'

const values = (id: (number | null)[], ood: number[] = []) => ({ values: { id, ood } })
const table = madeUpResults({
  rows: [
    madeUpRow({ id: 'temperature-only', ...values([0.4, 0.5, 0.6], [0.3, 0.3, 0.3]) }),
    madeUpRow({ id: 'grpo', ...values([0.5, 0.6, 0.71], [0.3, 0.5, 0.1]) }),
    madeUpRow({ id: 'frozen-judge', ...values([0.4, 0.51, null]) }),
    madeUpRow({ id: 'policy-reward', ...values([0.6, null, 0.7]) }),
    madeUpRow({ id: 'full', ...values([0.7, 0.5, 0.8]) }),
  ],
})
const effects = (label: string) =>
  partEffects([{ title: 'Household', results: table }]).find((row) => row.label === label)!.cells[0]!

describe('what each part adds', () => {
  it('is compared seed by seed, as shares', () => {
    const [id, ood] = effects('Outcomes alone (GRPO)')
    expect(id).toMatchObject({ split: 'id', isClear: true, paper: null })
    expect(id!.mean).toBeCloseTo(0.1033, 10)
    expect(id!.low).toBeGreaterThan(0.08)
    expect(ood).toMatchObject({ split: 'ood', mean: 0, isClear: false })
    const [votes] = effects('+ votes of a frozen judge')
    expect(votes).toMatchObject({ mean: -0.095, isClear: true })
  })

  it('is left out where fewer than two seeds have both values', () => {
    expect(effects('+ training the judge')).toEqual([])
    expect(
      partEffects([{ title: 'Empty', results: madeUpResults({ rows: [] }) }]).every(
        ({ cells }) => cells[0]!.length === 0,
      ),
    ).toBe(true)
  })

  it('has the same difference in the paper beside it, where the paper has both rows', () => {
    expect(effects('+ adapting tasks')[0]!.paper).toBeCloseTo(0.602 - 0.556, 10)
    expect(effects('All together')[0]!.paper).toBeCloseTo(0.602 - 0.39, 10)
  })

  it('has a column for each table that is published, of the worlds and of other regimes', () => {
    const titles = (...tables: string[]) => {
      const { worlds, regimes } = partColumns((name) => (tables.includes(name) ? table : null))
      return [worlds, regimes].map((columns) => columns.map(({ title }) => title))
    }
    expect(titles('early-judge', 'desktop', 'household')).toEqual([['Household', 'Desktop'], ['Early judge']])
    expect(titles()).toEqual([[], []])
  })
})
