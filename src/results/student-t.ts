/**
 * The mean of several seeds of one configuration and its 95 % interval (Student's t):
 *
 *     mean ± t(0.975, n - 1) · s / √n          s² = Σ (y - mean)² / (n - 1)
 *
 * Assumes independent seeds with about normal values: a bootstrap of the three to sixteen seeds that anybody runs would be
 * too narrow.
 */
import { mean, varianceOfMean } from './moments.ts'

export interface MeanInterval {
  mean: number
  low: number
  high: number
}

/** t(0.975, ν) for ν = 1 … 30 (any table of Student's distribution); above, Cornish and Fisher's expansion. */
const T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
]

/** The quantile of Student's t at 0.975; `degrees` is at least 1. */
export function studentT(degrees: number): number {
  const z = 1.959964
  return T[degrees - 1] ?? z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2)
}

/** Null for fewer than two values, which have no spread. */
export function meanInterval(values: readonly number[]): MeanInterval | null {
  const n = values.length
  if (n < 2) return null
  const level = mean(values)
  const half = studentT(n - 1) * Math.sqrt(varianceOfMean(values))
  return { mean: level, low: level - half, high: level + half }
}
