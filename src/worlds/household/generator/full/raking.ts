/**
 * Iterative proportional fitting (Deming and Stephan, 1940), also called raking: scales the cells of a table to match one
 * margin after another, and repeats. Cells that are 0 stay 0. Of all tables with these margins, the result is the one closest
 * to the original (least relative entropy). If margins contradict each other or the zeros, the result is a compromise that
 * meets the last margin exactly.
 */

export interface Margin {
  /** [cell] the class it belongs to. */
  classOf: ArrayLike<number>
  /** [class] the sum of its cells, up to a common factor. Classes without cells are ignored. */
  sums: ArrayLike<number>
}

const mostRounds = 50
const tolerance = 1e-3

/** Scales `cells` in place so that they sum to 1 and match the margins. */
export function rake(cells: Float64Array, margins: readonly Margin[]): void {
  for (let round = 0; round < mostRounds; round++) {
    let change = 0
    for (const { classOf, sums } of margins) {
      const now = new Float64Array(sums.length)
      for (let cell = 0; cell < cells.length; cell++) now[classOf[cell]!]! += cells[cell]!
      let total = 0
      for (let c = 0; c < now.length; c++) if (now[c]! > 0) total += sums[c]!
      const factor = now.map((sum, c) => (sum > 0 ? sums[c]! / total / sum : 0))
      for (const by of factor) if (by > 0) change = Math.max(change, Math.abs(by - 1))
      for (let cell = 0; cell < cells.length; cell++) cells[cell]! *= factor[classOf[cell]!]!
    }
    if (change < tolerance) return
  }
}

/**
 * Factors f for the columns of a table. With a row's odds `odds[row][column] · f[column]` and the rows' weights, the columns
 * get the wanted shares: raking with the rows as the other margin. A column without odds gets the factor 0.
 */
export function columnFactors(
  odds: readonly (readonly number[])[],
  weights: readonly number[],
  shares: readonly number[],
): number[] {
  const factors = shares.map((share) => (share > 0 ? 1 : 0))
  const wanted = shares.reduce((sum, share) => sum + share, 0)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  for (let round = 0; round < mostRounds; round++) {
    const sums = factors.map(() => 0)
    odds.forEach((row, index) => {
      let sum = 0
      for (let column = 0; column < row.length; column++) sum += row[column]! * factors[column]!
      if (sum === 0) return
      const scale = weights[index]! / total / sum
      for (let column = 0; column < row.length; column++) sums[column]! += row[column]! * factors[column]! * scale
    })
    let change = 0
    for (let column = 0; column < factors.length; column++) {
      const by = sums[column]! > 0 ? shares[column]! / wanted / sums[column]! : 0
      if (by > 0) change = Math.max(change, Math.abs(by - 1))
      factors[column]! *= by
    }
    if (change < tolerance) break
  }
  return factors
}
