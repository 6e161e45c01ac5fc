/** Fits how a cost grows with a size. */

export interface CostAtSize {
  size: number
  cost: number
}

/**
 * The b of cost ∝ size^b: the slope of log cost over log size by least squares.
 *
 *     b = Σ (x − x̄)(y − ȳ) / Σ (x − x̄)²      x = log size, y = log cost
 *
 * 1 is linear, 2 quadratic. Throws RangeError for fewer than two sizes, or numbers without a logarithm.
 */
export function growthExponent(points: readonly CostAtSize[]): number {
  for (const { size, cost } of points) {
    if (!(size > 0 && cost > 0 && Number.isFinite(size) && Number.isFinite(cost)))
      throw new RangeError(`A cost of ${cost} at a size of ${size} has no logarithm to fit.`)
  }
  const x = points.map(({ size }) => Math.log(size))
  const y = points.map(({ cost }) => Math.log(cost))
  const [meanX, meanY] = [mean(x), mean(y)]
  const spread = x.reduce((sum, value) => sum + (value - meanX) ** 2, 0)
  if (!(spread > 0)) throw new RangeError('Growth needs two or more sizes: measure at another size.')
  return x.reduce((sum, value, i) => sum + (value - meanX) * (y[i]! - meanY), 0) / spread
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
