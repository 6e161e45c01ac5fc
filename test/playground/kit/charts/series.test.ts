import { describe, expect, it } from 'vitest'
import { tableRows, valueAt } from '../../../../src/playground/kit/charts/series.ts'
import { spread } from '../../../../src/playground/kit/spread.ts'

describe('a series', () => {
  it('keeps its last value until the next one', () => {
    const series = {
      name: 'x',
      hue: 'ink',
      line: 'solid',
      points: [
        { x: 1, y: 0.2 },
        { x: 5, y: 0.6 },
      ],
    } as const
    expect([0, 1, 4, 5, 9].map((at) => valueAt({ ...series, points: [...series.points] }, at))).toEqual([
      null,
      0.2,
      0.2,
      0.6,
      0.6,
    ])
  })

  it('is in the table completely, or spread with both ends', () => {
    const series = (points: { x: number; y: number }[]) => ({ points })
    const long = Array.from({ length: 1000 }, (_, i) => ({ x: i + 1, y: i }))
    const rows = tableRows([series(long), series([{ x: 0, y: 7 }, { x: 500, y: 8 }])]) // prettier-ignore
    expect(rows).toHaveLength(1001)
    expect(rows[0]).toEqual({ at: 0, values: [null, 7] })
    expect(rows[500]).toEqual({ at: 500, values: [499, 8] })
    const few = spread(rows, 40)
    expect(few).toHaveLength(40)
    expect([few[0]!.at, few[39]!.at]).toEqual([0, 1000])
    expect(spread(rows.slice(0, 3), 40)).toHaveLength(3)
  })
})
