import { describe, expect, it } from 'vitest'
import {
  chiSquaredTail,
  goodnessOfFit,
  type Observations,
} from '../../../../src/worlds/household/scenes/goodness-of-fit.ts'
import { columnFactors, rake } from '../../../../src/worlds/household/scenes/full/raking.ts'
import { integer, seededRandom, unit } from '../../../../src/worlds/random.ts'

describe('the tail of the χ² distribution', () => {
  it('has the published critical values', () => {
    for (const [degrees, critical] of [
      [1, 3.841459],
      [2, 5.991465],
      [10, 18.307038],
      [30, 43.772972],
      [100, 124.342113],
      [1000, 1074.679449],
    ] as const) {
      expect(chiSquaredTail(critical, degrees)).toBeCloseTo(0.05, 7)
    }
    expect(chiSquaredTail(10.827566, 1)).toBeCloseTo(0.001, 8)
    expect(chiSquaredTail(140.169489, 100)).toBeCloseTo(0.005, 8)
  })

  it('is exp(-x/2) for two degrees and exp(-x/2) (1 + x/2) for four, far out as well', () => {
    for (const x of [0.01, 0.5, 2, 7, 30, 200]) {
      expect(chiSquaredTail(x, 2) / Math.exp(-x / 2)).toBeCloseTo(1, 10)
      expect(chiSquaredTail(x, 4) / (Math.exp(-x / 2) * (1 + x / 2))).toBeCloseTo(1, 10)
    }
  })
})

describe('the goodness of fit', () => {
  const shares = new Map([['die', new Map(['1', '2', '3', '4', '5', '6'].map((face) => [face, 1 / 6]))]])
  const throwsOf = (seed: number, games: number, perGame: number, faces = 6): Observations[] => {
    const random = seededRandom('dice', seed)
    return Array.from({ length: games }, () =>
      Array.from({ length: perGame }, () => ['die', String(integer(random, 1, faces))] as const),
    )
  }

  it("is Pearson's test where every game gives one answer", () => {
    const counts = [22, 17, 21, 13, 29, 18]
    const games = counts.flatMap((count, face) =>
      Array.from({ length: count }, () => [['die', `${face + 1}`] as const]),
    )
    const fit = goodnessOfFit(games, shares)
    expect(fit).toMatchObject({ answers: 120, unknown: 0, degrees: 5 })
    expect(fit.chiSquared).toBeCloseTo(7.4, 10)
    expect(fit.correctedChiSquared / fit.correctedDegrees).toBeCloseTo(7.4 / 5, 1)
    expect(fit.totalVariation).toBeCloseTo((2 + 3 + 1 + 7 + 9 + 2) / 240, 10)
  })

  it('has p-values that are uniform if the shares are right, however alike the answers of one game are', () => {
    const ps = Array.from({ length: 400 }, (_, seed) => {
      const random = seededRandom('clusters', seed)
      const games = throwsOf(seed, 150, 1).map(([first]) =>
        Array.from({ length: 8 }, () =>
          unit(random) < 0.7 ? first! : (['die', String(integer(random, 1, 6))] as const),
        ),
      )
      return goodnessOfFit(games, shares).p
    })
    for (const level of [0.1, 0.25, 0.5, 0.75]) {
      expect(Math.abs(ps.filter((p) => p < level).length / ps.length - level)).toBeLessThan(0.07)
    }
  })

  it('refutes shares that are wrong', () => {
    expect(goodnessOfFit(throwsOf(1, 600, 1, 5), shares).p).toBeLessThan(1e-6)
  })

  it('counts answers that the shares do not know with the rarest, and tells of them', () => {
    const games = throwsOf(1, 600, 1)
    const seven: Observations = [['die', '7']]
    expect(goodnessOfFit([...games, seven], shares)).toMatchObject({ unknown: 1, degrees: 5 })
    expect(goodnessOfFit([...games, ...games.slice(0, 100).map(() => seven)], shares).p).toBeLessThan(1e-6)
  })
})

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

  it('meets the last margin exactly where zeros make the others contradict it', () => {
    const cells = Float64Array.of(1, 0, 1, 1)
    rake(cells, [
      { classOf: [0, 0, 1, 1], sums: [0.8, 0.2] },
      { classOf: [0, 1, 0, 1], sums: [0.5, 0.5] },
    ])
    expect(cells[1]).toBe(0)
    expect(cells[0]! + cells[2]!).toBeCloseTo(0.5, 10)
  })

  it('finds propensities that give the wanted shares back from rows that lack columns', () => {
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
