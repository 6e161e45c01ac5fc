/** The shapes that mark the curves of compared runs, and where they stand. */
import type { Point } from './scale.ts'

/** Colours alone are lost in grey. Each is drawn around the origin, within a square of 8 pixels. */
export const MARK_PATHS = {
  circle: 'M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z',
  square: 'M-2.7 -2.7H2.7V2.7H-2.7Z',
  triangle: 'M0 -3.6L3.4 2.6H-3.4Z',
  diamond: 'M0 -3.8L3.8 0L0 3.8L-3.8 0Z',
  cross: 'M-3 -3L3 3M-3 3L3 -3',
  plus: 'M-4 0H4M0 -4V4',
}
export type RunMark = keyof typeof MARK_PATHS
export const RUN_MARKS = Object.keys(MARK_PATHS) as RunMark[]

/** Three points of a curve, at other places for each of the first runs: their curves may lie on one another. */
export function markPoints(points: readonly Point[], run: number): Point[] {
  if (points.length === 0) return []
  const shares = [0, 1, 2].map((i) => (i + 0.3 + 0.2 * (run % 3)) / 3)
  return [...new Set(shares.map((share) => points[Math.round(share * (points.length - 1))]!))]
}
