/** NaN for no values. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The variance of the mean, s² / n with s² = Σ (y − mean)² / (n − 1), assuming independent values. NaN for fewer than two. */
export function varianceOfMean(values: readonly number[]): number {
  const level = mean(values)
  return values.reduce((sum, value) => sum + (value - level) ** 2, 0) / (values.length - 1) / values.length
}
