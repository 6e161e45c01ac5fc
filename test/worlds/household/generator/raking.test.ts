import { describe, expect, it } from 'vitest'
import { columnFactors, rake } from '../../../../src/worlds/household/generator/full/raking.ts'

describe('raking', () => {
  it('finds the table with given sums that has the odds ratio of the first', () => {
    const cells = Float64Array.of(4, 1, 1, 2)
    rake(cells, [
      { classOf: [0, 0, 1, 1], sums: [0.3, 0.7] },
      { classOf: [0, 1, 0, 1], sums: [0.6, 0.4] },
    ])
    expect(cells[0]! + cells[1]!).toBeCloseTo(0.3, 4)
    expect(cells[0]! + cells[2]!).toBeCloseTo(0.6, 4)
    expect((cells[0]! * cells[3]!) / (cells[1]! * cells[2]!)).toBeCloseTo(8, 6)
  })

  it('meets the last margin exactly if zeros make the others contradict it', () => {
    const cells = Float64Array.of(1, 0, 1, 1)
    rake(cells, [
      { classOf: [0, 0, 1, 1], sums: [0.8, 0.2] },
      { classOf: [0, 1, 0, 1], sums: [0.5, 0.5] },
    ])
    expect(cells[1]).toBe(0)
    expect(cells[0]! + cells[2]!).toBeCloseTo(0.5, 10)
  })

  it('finds propensities that give the wanted shares although rows lack columns', () => {
    const odds = [
      [1, 1, 0],
      [0, 2, 1],
      [1, 0, 1],
    ]
    const weights = [5, 3, 2]
    const factors = columnFactors(odds, weights, [0.4, 0.35, 0.25])
    const shares = [0, 1, 2].map((column) =>
      odds.reduce((sum, row, index) => {
        const total = row.reduce((all, odd, c) => all + odd * factors[c]!, 0)
        return sum + (weights[index]! / 10) * ((row[column]! * factors[column]!) / total)
      }, 0),
    )
    shares.forEach((share, column) => expect(share).toBeCloseTo([0.4, 0.35, 0.25][column]!, 4))
  })
})
